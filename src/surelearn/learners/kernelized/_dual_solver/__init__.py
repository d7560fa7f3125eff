"""The dual of support vector machines: kernel values, the choice of rows, and the solver."""
