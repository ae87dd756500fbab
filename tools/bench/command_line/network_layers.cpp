// Layers of well-known networks as GEMMs.
//
// A convolution is the product of its filters and the image's patches (im2col), with batch 1: m is the number
// of output channels, n the number of output pixels, and k the input channels times the filter's area. A
// linear layer is the product of its tokens and its weights: m is the number of tokens, n the outputs, and k
// the inputs.
#include <fmt/format.h>

#include "command_line/suites.hpp"

namespace clgemm::bench {
namespace {

// He et al., arXiv:1512.03385, table 1.
constexpr const char* resnet_50 = "ResNet-50";
// Howard et al., arXiv:1704.04861, table 1.
constexpr const char* mobilenet = "MobileNet v1";
// Devlin et al., arXiv:1810.04805, section 3: H = 768 or 1024, filter 4 H.
constexpr const char* bert_base = "BERT-base";
constexpr const char* bert_large = "BERT-large";
// Radford et al., 2019, table 2: d = 768, 1024 tokens, a vocabulary of 50257.
constexpr const char* gpt_2 = "GPT-2";
// Touvron et al., arXiv:2302.13971, table 2: d = 4096, filter 11008.
constexpr const char* llama_7b = "Llama-7B";

struct Layer {
  const char* network;
  const char* name;
  Size size;
};

// Layers that repeat are listed once. A stage of blocks has one block here, one that keeps the size of its
// image.
constexpr Layer layers[] = {
    {resnet_50, "conv1 7x7", {64, 12544, 147}},
    {resnet_50, "conv2 1x1 in", {64, 3136, 256}},
    {resnet_50, "conv2 3x3", {64, 3136, 576}},
    {resnet_50, "conv2 1x1 out", {256, 3136, 64}},
    {resnet_50, "conv3 1x1 in", {128, 784, 512}},
    {resnet_50, "conv3 3x3", {128, 784, 1152}},
    {resnet_50, "conv3 1x1 out", {512, 784, 128}},
    {resnet_50, "conv4 1x1 in", {256, 196, 1024}},
    {resnet_50, "conv4 3x3", {256, 196, 2304}},
    {resnet_50, "conv4 1x1 out", {1024, 196, 256}},
    {resnet_50, "conv5 1x1 in", {512, 49, 2048}},
    {resnet_50, "conv5 3x3", {512, 49, 4608}},
    {resnet_50, "conv5 1x1 out", {2048, 49, 512}},
    {resnet_50, "classes", {1000, 1, 2048}},
    {mobilenet, "pointwise 32 to 64, 112x112", {64, 12544, 32}},
    {mobilenet, "pointwise 64 to 128, 56x56", {128, 3136, 64}},
    {mobilenet, "pointwise 128, 56x56", {128, 3136, 128}},
    {mobilenet, "pointwise 256, 28x28", {256, 784, 256}},
    {mobilenet, "pointwise 512, 14x14", {512, 196, 512}},
    {mobilenet, "pointwise 1024, 7x7", {1024, 49, 1024}},
    {bert_base, "projection, 128 tokens", {128, 768, 768}},
    {bert_base, "filter up, 128 tokens", {128, 3072, 768}},
    {bert_base, "filter down, 128 tokens", {128, 768, 3072}},
    {bert_base, "projection, 512 tokens", {512, 768, 768}},
    {bert_base, "filter up, 512 tokens", {512, 3072, 768}},
    {bert_base, "filter down, 512 tokens", {512, 768, 3072}},
    {bert_large, "projection, 128 tokens", {128, 1024, 1024}},
    {bert_large, "filter up, 128 tokens", {128, 4096, 1024}},
    {bert_large, "filter down, 128 tokens", {128, 1024, 4096}},
    {bert_large, "projection, 512 tokens", {512, 1024, 1024}},
    {bert_large, "filter up, 512 tokens", {512, 4096, 1024}},
    {bert_large, "filter down, 512 tokens", {512, 1024, 4096}},
    {gpt_2, "query, key, value, 1024 tokens", {1024, 2304, 768}},
    {gpt_2, "filter up, 1024 tokens", {1024, 3072, 768}},
    {gpt_2, "filter down, 1024 tokens", {1024, 768, 3072}},
    {gpt_2, "vocabulary, 1 token", {1, 50257, 768}},
    {llama_7b, "projection, 1 token", {1, 4096, 4096}},
    {llama_7b, "filter up, 1 token", {1, 11008, 4096}},
    {llama_7b, "projection, 128 tokens", {128, 4096, 4096}},
    {llama_7b, "filter up, 128 tokens", {128, 11008, 4096}},
    {llama_7b, "filter down, 128 tokens", {128, 4096, 11008}},
};

}  // namespace

std::vector<Case> network_layers() {
  std::vector<Case> cases;
  for (const Layer& layer : layers) {
    cases.push_back({layer.size, {}, fmt::format("{}, {}", layer.network, layer.name)});
  }
  return cases;
}

}  // namespace clgemm::bench
