#pragma once

namespace letterpress {

// Field numbers of onnx.proto3.
inline constexpr int kModelIrVersion = 1, kModelProducer = 2, kModelGraph = 7, kModelOpset = 8,
                     kModelMetadata = 14;
inline constexpr int kOpsetDomain = 1, kOpsetVersion = 2;
inline constexpr int kGraphNode = 1, kGraphName = 2, kGraphInitializer = 5;
inline constexpr int kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kNodeOp = 4,
                     kNodeAttribute = 5;
inline constexpr int kAttributeName = 1, kAttributeFloat = 2, kAttributeInt = 3,
                     kAttributeString = 4, kAttributeInts = 8, kAttributeType = 20;
inline constexpr int kTensorDims = 1, kTensorType = 2, kTensorName = 8, kTensorRaw = 9;
inline constexpr int kValueName = 1, kValueType = 2, kTypeTensor = 1, kTensorTypeElement = 1,
                     kTensorTypeShape = 2;
inline constexpr int kShapeDimension = 1, kDimensionValue = 1, kDimensionName = 2;
inline constexpr int kEntryKey = 1, kEntryValue = 2;

}  // namespace letterpress
