"""Tables: data frames and arrays of mixed columns become matrices of codes and numbers."""
