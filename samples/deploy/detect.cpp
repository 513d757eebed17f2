// Finds objects with a file of `letterpress-trainer export --to onnx --output detections` by what
// its metadata say: onnxruntime, the libraries of pixels.h, and nothing of Letterpress.
//
// usage: detect MODEL PICTURES OUT    PICTURES lists a picture per line; OUT is as
//                                     `letterpress-predict --format json` writes it
#include <onnxruntime_cxx_api.h>

#include <iostream>

#include "pixels.h"

class Network {
 public:
  explicit Network(const char* file) : session_(environment_, file, Ort::SessionOptions()) {
    letterbox = Json::parse(metadata("letterbox"));
    classes = Json::parse(metadata("classes"));
    side = std::stoi(metadata("side"));
    if (!Json::parse(metadata("outputs")).contains("detections"))
      throw std::runtime_error("export with --output detections");
    if (has("tiles")) throw std::runtime_error("shows whole pictures, and the network is of tiles");
  }

  Json detect(const std::string& file) {
    const Picture picture = decode(file, [&](const int(&size)[2]) {
      const Letterbox box = letterbox_of(size, side, letterbox);
      const double needed = 8 * std::max(box.scale[0], box.scale[1]);
      return needed <= 1 ? 1 : needed <= 2 ? 2 : needed <= 4 ? 4 : 8;
    });
    const Letterbox box = letterbox_of(picture.size, side, letterbox);
    std::vector<float> frame = frame_of(picture, box, side, letterbox);
    const std::int64_t shape[]{1, 3, side, side};
    const Ort::Value images = Ort::Value::CreateTensor<float>(memory_, frame.data(), frame.size(),
                                                              shape, std::size(shape));
    const char *const in[]{"images"}, *const out[]{"detections"};
    const auto outputs = session_.Run(Ort::RunOptions(), in, &images, 1, out, 1);
    const std::int64_t n = outputs[0].GetTensorTypeAndShapeInfo().GetShape()[0];
    const float* row = outputs[0].GetTensorData<float>();  // picture x1 y1 x2 y2 score class
    Json found = Json::array();
    for (std::int64_t i = 0; i < n; ++i, row += 7) {
      double corner[4];
      for (int k = 0; k < 4; ++k)
        corner[k] = std::clamp((row[k + 1] - box.offset[k % 2]) / box.scale[k % 2], 0.0,
                               1.0 * picture.size[k % 2]);
      const int id = static_cast<int>(row[6]);
      if (corner[2] > corner[0] && corner[3] > corner[1])
        found.push_back({{"box", corner}, {"score", row[5]}, {"class", id}, {"name", classes[id]}});
    }
    return {{"picture", file},
            {"width", picture.size[0]},
            {"height", picture.size[1]},
            {"detections", found}};
  }

  Json letterbox, classes;
  int side = 0;

 private:
  auto find(const char* key) {
    return session_.GetModelMetadata().LookupCustomMetadataMapAllocated(key, allocator_);
  }
  bool has(const char* key) { return find(key) != nullptr; }
  std::string metadata(const char* key) {
    const auto value = find(key);
    if (!value) throw std::runtime_error(std::string("the file's metadata have no ") + key);
    return value.get();
  }

  Ort::AllocatorWithDefaultOptions allocator_;
  Ort::Env environment_;
  Ort::Session session_;
  Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeCPU);
};

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("usage: detect MODEL PICTURES OUT");
  Network network(argv[1]);
  std::ifstream pictures(argv[2]);
  Json found = Json::array();
  for (std::string file; std::getline(pictures, file);) {
    if (file.ends_with('\r')) file.pop_back();
    try {
      if (!file.empty()) found.push_back(network.detect(file));
    } catch (const Unreadable& fault) {
      std::cerr << "detect: left out: " << fault.what() << "\n";
    }
  }
  std::ofstream(argv[3]) << found.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::cout << "onnxruntime " << Ort::GetVersionString() << " in C++\n";
} catch (const std::exception& failure) {
  std::cerr << "detect: " << failure.what() << "\n";
  return 1;
}
