#include "support/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "support/temporaries.h"

namespace {
int umask_calls = 0;
}  // namespace

/// In the C library's place.
extern "C" mode_t umask(mode_t mask) noexcept {
  ++umask_calls;
  return static_cast<mode_t>(syscall(SYS_umask, mask));
}

namespace isomer {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  Files() {
    std::string pattern = (fs::temp_directory_path() / "isomer-files-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Files() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string made(const std::string& name, const std::string& text = "text") const {
    std::ofstream(at(name)) << text;
    return at(name);
  }
  std::string pipe(const std::string& name) const {
    EXPECT_EQ(mkfifo(at(name).c_str(), 0600), 0);
    return at(name);
  }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

/// What `call` throws as an InputError; empty when it throws nothing.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST_F(Files, OnlyRegularFilesAreRead) {
  EXPECT_EQ(read_file(made("a", "some text")), "some text");
  EXPECT_EQ(read_file(made("empty", "")), "");
  const std::string fifo = pipe("fifo");  // without a writer: reading it would wait for ever
  EXPECT_EQ(refusal([&] { read_file(fifo); }), fifo + ": expected a regular file, found a named pipe");
  fs::create_symlink(fifo, at("link"));
  EXPECT_EQ(refusal([&] { read_file(at("link")); }),
            at("link") + ": expected a regular file, found a named pipe");
  EXPECT_EQ(refusal([&] { read_file("/dev/zero"); }), "/dev/zero: expected a regular file, found a device");
  EXPECT_EQ(refusal([&] { read_file(folder_.string()); }),
            folder_.string() + ": expected a regular file, found a directory");
  EXPECT_EQ(refusal([&] { read_file(at("gone")); }),
            at("gone") + ": cannot be opened: No such file or directory");
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, at("socket").c_str(), sizeof(address.sun_path) - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(refusal([&] { read_file(at("socket")); }),
            at("socket") + ": expected a regular file, found a socket");
  close(listener);
}

TEST_F(Files, OneFileHasManyNames) {
  const std::string a = made("a"), b = made("b");
  fs::create_hard_link(a, at("hard"));
  fs::create_symlink("a", at("soft"));
  EXPECT_TRUE(same_file(a, at("hard")));
  EXPECT_TRUE(same_file(a, at("soft")));
  EXPECT_TRUE(same_file(a, at("./a")));
  EXPECT_FALSE(same_file(a, b));
  EXPECT_FALSE(same_file(a, at("gone")));
  fs::create_symlink("gone", at("dangling"));
  EXPECT_TRUE(same_file(at("gone"), at("dangling")));
  EXPECT_TRUE(same_file(at("gone"), at("x/../gone")));
  EXPECT_FALSE(same_file(at("gone"), at("gone too")));
}

TEST_F(Files, OutputsAreKeptApart) {
  const std::string model = made("model");
  fs::create_hard_link(model, at("hard"));
  const auto check = [&](const std::string& output, const std::string& report) {
    require_apart(std::array<NamedFile, 2>{{{"--output", output}, {"--report", report}}},
                  std::array<NamedFile, 1>{{{"MODEL", model}}});
  };
  EXPECT_NO_THROW(check(at("out"), at("page")));
  EXPECT_NO_THROW(check("", ""));
  EXPECT_THROW(check(model, at("page")), UsageError);
  EXPECT_THROW(check(at("out"), at("hard")), UsageError);
  EXPECT_THROW(check(at("out"), at("./out")), UsageError);
}

TEST_F(Files, PermissionsAreThoseThatTheUmaskLeaves) {
  for (const mode_t mask : {0000, 0027, 0077, 0277}) {
    const mode_t before = umask(mask);
    umask_calls = 0;
    write_file(at("output"), "text");
    EXPECT_EQ(umask_calls, 0)
        << "it is the whole process's: files that other threads make meanwhile are open to all";
    umask(before);
    struct stat info{};
    ASSERT_EQ(stat(at("output").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0666 & ~mask);
  }
  EXPECT_EQ(entries(), 1U);
}

TEST_F(Files, OnlyRegularFilesAreReplaced) {
  write_file(at("new"), "1");
  write_file(at("new"), "2");
  EXPECT_EQ(read_file(at("new")), "2");
  const std::string wanted = ": cannot be written: expected a regular file or none, found ";
  const std::string fifo = pipe("fifo");
  EXPECT_EQ(refusal([&] { const AtomicFile file(fifo); }), fifo + wanted + "a named pipe");
  EXPECT_EQ(refusal([&] { const AtomicFile file("/dev/null"); }), "/dev/null" + wanted + "a device");
  fs::create_symlink("/dev/null", at("link"));
  EXPECT_EQ(refusal([&] { const AtomicFile file(at("link")); }), at("link") + wanted + "a device");
  fs::create_directory(at("folder"));
  EXPECT_EQ(refusal([&] { const AtomicFile file(at("folder")); }), at("folder") + wanted + "a directory");
  EXPECT_NE(refusal([] { const AtomicFile file("/proc/isomer"); }), "");
  // What came there meanwhile is not replaced either.
  {
    AtomicFile file(at("later"));
    pipe("later");
    EXPECT_EQ(refusal([&] { file.commit(at("later")); }), at("later") + wanted + "a named pipe");
  }
  EXPECT_EQ(entries(), 5u) << "nothing half-written is left";
}

TEST_F(Files, LinksAreFollowedWhenWriting) {
  fs::create_directory(at("elsewhere"));
  made("elsewhere/real", "old");
  fs::create_symlink("elsewhere/real", at("link"));
  write_file(at("link"), "new");
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read_file(at("elsewhere/real")), "new");
  fs::create_symlink("elsewhere/fresh", at("dangling"));
  write_file(at("dangling"), "first");
  EXPECT_EQ(read_file(at("elsewhere/fresh")), "first");
}

TEST_F(Files, TheProcesssOwnStreamsAreWrittenTo) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  write_file("/dev/fd/" + std::to_string(ends[1]), "through");
  std::array<char, 16> got{};
  EXPECT_EQ(read(ends[0], got.data(), got.size()), 7);
  EXPECT_STREQ(got.data(), "through");
  close(ends[0]);
  close(ends[1]);
  const int full = open("/dev/full", O_WRONLY);
  EXPECT_NE(refusal([&] { write_file("/dev/fd/" + std::to_string(full), "much"); }), "");
  close(full);
}

TEST_F(Files, WhatAKilledRunLeftIsRemoved) {
  std::string folder, file;
  {
    const Temporary first = make_temporary_folder(folder_.string(), "out"),
                    second = make_temporary_file(folder_.string(), "out");
    std::ofstream(first.path + "/model.onnx") << "half";
    // Both are held: a second run leaves them alone.
    EXPECT_EQ(remove_abandoned(folder_.string()), 0);
    EXPECT_EQ(entries(), 2u);
    folder = first.path;
    file = second.path;
  }
  // The locks ended with those who held them, as when they are killed. What has another machine's name, or
  // only leads to such a thing, stays.
  fs::create_directory(at(".isomer-0-other1"));
  fs::create_directory(at(".isomer-new-ABCDEF"));
  fs::create_symlink(folder, folder + "x");
  EXPECT_EQ(remove_abandoned(folder_.string()), 2);
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_EQ(entries(), 3u);
}

TEST_F(Files, AFolderGoesWithItsScope) {
  {
    const TemporaryFolder made(folder_.string(), "out");
    std::ofstream(made.in("model.onnx")) << "half";
    EXPECT_EQ(entries(), 1u);
    EXPECT_TRUE(fs::exists(fs::path(made.path()) / "model.onnx"));
  }
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, AllTemporariesCanBeDroppedAtOnce) {
  {
    const Temporary left = make_temporary_file(folder_.string(), "out");  // nobody's any more
  }
  const TemporaryFolder made(folder_.string(), "out");  // removes that
  std::ofstream(made.in("model.onnx")) << "half";
  const AtomicFile file(at("out"));
  EXPECT_EQ(entries(), 2u);
  drop_temporaries();
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Files, TheNextOutputRemovesIt) {
  {
    const Temporary left = make_temporary_folder(folder_.string(), "out");
  }
  EXPECT_EQ(entries(), 1u);
  write_file(at("out"), "text");
  EXPECT_EQ(entries(), 1u);
  EXPECT_TRUE(fs::exists(at("out")));
}

}  // namespace
}  // namespace isomer
