"""What can go wrong, as classes; `status` is the exit status of the command line program for the same failure."""


class Error(Exception):
    """Any failure that Isomer reports."""

    status = 1


class UsageError(Error):
    """Something was asked for that does not exist."""

    status = 2


class InputError(Error):
    """A model or file is not what it should be; the message names the node and what was expected."""

    status = 3


class VerificationError(Error):
    """The result could not be shown to be equivalent; nothing was written."""

    status = 4


class MissingRuntimeError(Error):
    """A runtime or device is not installed."""

    status = 5


class Interrupted(Error):
    """Stopped before anything could be written."""

    status = 130


_OF_STATUS = {kind.status: kind for kind in (UsageError, InputError, VerificationError, MissingRuntimeError, Interrupted)}


def of_status(status: int) -> type[Error]:
    """The class of the failures that end the program with this exit status."""
    return _OF_STATUS.get(status, Error)
