"""Attention layers and what goes with them: one idea a file, ``keras.ops`` only."""

from zoo.layers.attentive_conv import AttentiveConv
from zoo.layers.center_loss import CenterLoss
from zoo.layers.context_attention import ContextAttention
from zoo.layers.conv_multi_head_attention import ConvMultiHeadAttention
from zoo.layers.entity_positions import EntityPositions
from zoo.layers.global_attention import GlobalAttention
from zoo.layers.ngram_pooling import NgramPooling
from zoo.layers.pairwise_attention import PairwiseAttention
from zoo.layers.pooling import MaskedAveragePooling, MaskedMaxPooling
from zoo.layers.position_aware_attention import PositionAwareAttention
from zoo.layers.position_embedding import PositionEmbedding
from zoo.layers.relative_position_attention import RelativePositionAttention
from zoo.layers.sentence_encoder import SentenceEncoder
from zoo.layers.sinusoidal_positions import SinusoidalPositions
from zoo.layers.subword_embedding import SubwordEmbedding
from zoo.layers.target_attention import TargetAttention
from zoo.layers.transformer_layer import TransformerLayer

__all__ = [
    "AttentiveConv",
    "CenterLoss",
    "ContextAttention",
    "ConvMultiHeadAttention",
    "EntityPositions",
    "GlobalAttention",
    "MaskedAveragePooling",
    "MaskedMaxPooling",
    "NgramPooling",
    "PairwiseAttention",
    "PositionAwareAttention",
    "PositionEmbedding",
    "RelativePositionAttention",
    "SentenceEncoder",
    "SinusoidalPositions",
    "SubwordEmbedding",
    "TargetAttention",
    "TransformerLayer",
]
