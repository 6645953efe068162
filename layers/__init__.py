"""Attention layers: one idea a file, ``keras.ops`` only, masks and scores in every call."""

from zoo.layers.attentive_conv import AttentiveConv
from zoo.layers.conv_multi_head_attention import ConvMultiHeadAttention
from zoo.layers.global_attention import GlobalAttention
from zoo.layers.pooling import MaskedAveragePooling, MaskedMaxPooling
from zoo.layers.position_embedding import PositionEmbedding
from zoo.layers.sentence_encoder import SentenceEncoder
from zoo.layers.target_attention import TargetAttention

__all__ = [
    "AttentiveConv",
    "ConvMultiHeadAttention",
    "GlobalAttention",
    "MaskedAveragePooling",
    "MaskedMaxPooling",
    "PositionEmbedding",
    "SentenceEncoder",
    "TargetAttention",
]
