//! Bodies, in every place they can lie.
