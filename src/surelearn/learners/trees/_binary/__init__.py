"""CART: binary trees, grown best first from columns sorted once."""
