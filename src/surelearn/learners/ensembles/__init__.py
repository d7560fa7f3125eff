"""Many weak or unstable rules together: bagging, forests, boosting."""
