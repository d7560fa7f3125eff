"""A learner and data in, a frozen result out; results plot themselves through `surelearn.plots`."""
