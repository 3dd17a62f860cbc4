//! Rate limits on any store: one call decides, and tells the true count.
