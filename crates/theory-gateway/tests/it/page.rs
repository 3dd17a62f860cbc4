//! Pages that are kept and regenerated, with an application on a real socket behind them.

mod world;

mod answers;
mod keep;
mod poison;
mod trouble;
