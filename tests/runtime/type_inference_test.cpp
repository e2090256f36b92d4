// ONNX's shape inference in its worker process, and workers that are missing, crash, hang or answer nonsense.
#include "runtime/type_inference.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>
#include <stdlib.h>

#include <fstream>

#include "runtime/base64.h"

namespace isomer::runtime {
namespace {

namespace fs = std::filesystem;

constexpr double kSeconds = 120;

/// y = NonZero(x), x: f32 [batch, 4].
std::string question() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("question");
  onnx::ValueInfoProto& x = *graph.add_input();
  x.set_name("x");
  auto& tensor = *x.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnx::TensorProto::FLOAT);
  tensor.mutable_shape()->add_dim()->set_dim_param("batch");
  tensor.mutable_shape()->add_dim()->set_dim_value(4);
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("NonZero");
  node.add_input("x");
  node.add_output("y");
  return model.SerializeAsString();
}

/// Workers in a folder of their own: protocol.py, and a types worker whose `infer` has this body.
class TypeWorker : public testing::Test {
 protected:
  void use(const std::string& body) {
    std::string pattern = (fs::temp_directory_path() / "isomer-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::copy(fs::path(ISOMER_SOURCE_DIR) / "workers/protocol.py", folder_);
    fs::copy(fs::path(ISOMER_SOURCE_DIR) / "workers/element_types.py", folder_);
    std::ofstream(folder_ / "onnx_types_worker.py")
        << "import os, time\nimport protocol\nchannel = protocol.Channel()\n"
        << "def infer(request, progress):\n    " << body << "\n"
        << "protocol.serve(channel, {'infer': infer})\n";
    setenv("ISOMER_WORKERS", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ISOMER_WORKERS");
    unsetenv("ISOMER_PYTHON");
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  fs::path folder_;
};

TEST_F(TypeWorker, OnnxKnowsRankAndElementType) {
  TypeInference inference(kSeconds);
  const std::vector<std::string> types = inference.infer(question());
  ASSERT_EQ(inference.failure(), "");
  ASSERT_EQ(types.size(), 1u);
  onnx::TypeProto type;
  ASSERT_TRUE(type.ParseFromString(types[0]));
  EXPECT_EQ(type.tensor_type().elem_type(), onnx::TensorProto::INT64);
  ASSERT_EQ(type.tensor_type().shape().dim_size(), 2);
  EXPECT_EQ(type.tensor_type().shape().dim(0).dim_value(), 2);
  EXPECT_TRUE(inference.infer("no model").empty());
  EXPECT_EQ(inference.failure(), "") << "one question that is none is no reason to give up";
  EXPECT_EQ(inference.infer(question()).size(), 1u);
}

TEST_F(TypeWorker, NoPythonIsAFailureNotAnError) {
  setenv("ISOMER_PYTHON", "/nowhere/python", 1);
  TypeInference inference(kSeconds);
  EXPECT_TRUE(inference.infer(question()).empty());
  EXPECT_NE(inference.failure().find("not installed"), std::string::npos) << inference.failure();
}

TEST_F(TypeWorker, NoOnnxIsAFailureNotAnError) {
  use("raise protocol.Missing('No module named onnx')");
  TypeInference inference(kSeconds);
  EXPECT_TRUE(inference.infer(question()).empty());
  EXPECT_EQ(inference.failure(), "the Python package onnx is not installed: No module named onnx");
}

TEST_F(TypeWorker, ALostProcessIsNotAskedAgain) {
  use("open(os.path.join(os.path.dirname(__file__), 'asked'), 'a').write('x'); os._exit(7)");
  TypeInference inference(kSeconds);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(inference.infer(question()).empty());
  EXPECT_NE(inference.failure().find("status 7"), std::string::npos) << inference.failure();
  EXPECT_EQ(fs::file_size(folder_ / "asked"), 1u);
}

TEST_F(TypeWorker, AHangEndsWithTheTimeThatThereIs) {
  use("time.sleep(60)");
  TypeInference inference(0.5);
  const double begin = wall_seconds();
  EXPECT_TRUE(inference.infer(question()).empty());
  EXPECT_TRUE(inference.infer(question()).empty());
  EXPECT_LT(wall_seconds() - begin, 30);
  EXPECT_EQ(inference.failure(), "it took too long");
}

TEST_F(TypeWorker, NonsenseIsNoTypes) {
  use("return {'types': ['!', 7, None, 'AAAA']}");
  TypeInference inference(kSeconds);
  EXPECT_EQ(inference.infer(question()), (std::vector<std::string>{"", "", "", std::string(3, '\0')}));
  EXPECT_EQ(inference.failure(), "");
}

TEST_F(TypeWorker, AnAnswerWithoutTypesIsNoTypes) {
  use("return {'types': {'y': 3}}");
  TypeInference inference(kSeconds);
  EXPECT_TRUE(inference.infer(question()).empty());
}

TEST(Base64, ThereAndBack) {
  for (const std::string& bytes : {std::string(), std::string("a"), std::string("ab"), std::string("abc"),
                                   std::string("\0\xff\x80 \n", 5)})
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  EXPECT_EQ(to_base64("Man"), "TWFu");
  EXPECT_EQ(to_base64("M"), "TQ==");
  for (const char* bad : {"TWF", "TW=u", "T===", "TW\nu", "===="})
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace isomer::runtime
