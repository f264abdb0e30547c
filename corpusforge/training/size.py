"""How large a model is: parameters, and the floating-point operations of training on a token.

Counted from its shape, without torch, so that a login node can tell. Operations are those of matrix
products, a multiplication and an addition counted as two, forward and (twice as many) backward, as
in Chowdhery et al. (2022, arXiv:2204.02311, appendix B): attention counts every pair of tokens of a
window, although a causal kernel leaves half of them out, and layers computed again do not count.
"""

from corpusforge.training.shapes import ModelConfig, NeoXConfig

FORWARD_AND_BACKWARD = 3


def parameters(model: ModelConfig, rows: int) -> int:
    """Numbers that are trained, exactly. `rows` are those of the embedding."""
    if isinstance(model, NeoXConfig):
        return model.layers * layer_parameters(model) + 2 * rows * model.hidden + 2 * model.hidden
    lengths_and_bias = (1 + 4) * model.hidden + 4 * model.hidden
    return _mlstm_matrices(model.hidden, model.embedding, rows) + (
        rows * model.embedding + lengths_and_bias + rows
    )


def layer_parameters(model: NeoXConfig) -> int:
    """Numbers that are trained in one layer: 12 matrices, 9 vectors, and 2 norms of 2 each."""
    return 12 * model.hidden**2 + (9 + 4) * model.hidden


def flops_per_token(model: ModelConfig, rows: int, length: int) -> int:
    """Operations of training on one token of a window of `length` tokens."""
    if isinstance(model, NeoXConfig):
        matrices = 12 * model.layers * model.hidden**2 + rows * model.hidden
        pairs = 2 * model.layers * model.hidden * length
        return FORWARD_AND_BACKWARD * 2 * (matrices + pairs)
    return FORWARD_AND_BACKWARD * 2 * _mlstm_matrices(model.hidden, model.embedding, rows)


def _mlstm_matrices(hidden: int, embedding: int, rows: int) -> int:
    """From input, from state to factor, from factor to gates, and to the logits."""
    return 5 * hidden * embedding + hidden**2 + 4 * hidden**2 + rows * hidden
