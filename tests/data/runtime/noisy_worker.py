"""A worker without a runtime that misbehaves on request, for the tests of the client."""

import os
import sys
import time

import protocol

channel = protocol.Channel()
print("noise before the first frame")
os.write(1, b"\x10\x00\x00\x00 more noise, past Python's own buffers")


def echo(request, progress):
    print("noise", flush=True)
    os.system("echo noise of a child")
    for step in range(request.get("steps", 0)):
        progress(done=step + 1, of=request["steps"])
    return {"text": request["text"]}


def die(request, progress):
    sys.stderr.write("last words\n")
    sys.stderr.flush()
    os.abort() if request.get("abort") else os._exit(3)


def lack(request, progress):
    """Ends as one does that cannot import what it needs."""
    progress()
    sys.stderr.write("ModuleNotFoundError: No module named 'numpy'\n")
    sys.stderr.flush()
    os._exit(1)


def hang(request, progress):
    time.sleep(1000)


def garbage(request, progress):
    os.write(channel.sink, b"\x05\x00\x00\x00{]{]{")


def patient(request, progress):
    """Works until it is asked to stop, and then has an answer."""
    rounds = 0
    while not channel.asked_to_cancel():
        rounds += 1
        time.sleep(0.01)
        progress(rounds=rounds)
    return {"rounds": rounds}


def refuse(request, progress):
    raise protocol.Refused("not today")


def bug(request, progress):
    return {"text": [][1]}


protocol.serve(channel, {"echo": echo, "die": die, "lack": lack, "hang": hang, "garbage": garbage, "patient": patient,
                         "refuse": refuse, "bug": bug})
