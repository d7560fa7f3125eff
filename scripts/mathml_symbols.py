"""Names that formulas may use: symbols, functions, spaces, accents, alphabets."""

_TABLE = """
alpha α   beta β   gamma γ   delta δ   epsilon ε   varepsilon ε   zeta ζ   eta η   theta θ   iota ι
kappa κ   lambda λ   mu μ   nu ν   xi ξ   pi π   rho ρ   sigma σ   tau τ   upsilon υ   phi φ
varphi φ   chi χ   psi ψ   omega ω   Gamma Γ   Delta Δ   Theta Θ   Lambda Λ   Xi Ξ   Pi Π
Sigma Σ   Phi Φ   Psi Ψ   Omega Ω   ell ℓ   infty ∞   emptyset ∅   partial ∂   nabla ∇   qed ∎
sum ∑   prod ∏   int ∫   bigcup ⋃   bigcap ⋂   le ≤   leq ≤   ge ≥   geq ≥   ne ≠   neq ≠   lt <
gt >   approx ≈   equiv ≡   sim ∼   simeq ≃   propto ∝   ll ≪   gg ≫   preceq ⪯   succeq ⪰
in ∈   notin ∉   ni ∋   subset ⊂   subseteq ⊆   supset ⊃   supseteq ⊇   cup ∪   cap ∩   setminus ∖
times ×   cdot ·   pm ±   mp ∓   circ ∘   otimes ⊗   oplus ⊕   wedge ∧   vee ∨   neg ¬   to →
gets ←   leftarrow ←   mapsto ↦   implies ⇒   Rightarrow ⇒   iff ⇔   uparrow ↑   downarrow ↓
forall ∀   exists ∃   ldots …   dots …   cdots ⋯   mid ∣   perp ⊥   top ⊤   prime ′   star ⋆
langle ⟨   rangle ⟩   lfloor ⌊   rfloor ⌋   lceil ⌈   rceil ⌉   lVert ‖   rVert ‖   Vert ‖
lvert |   rvert |   colon :   ast *
"""
SYMBOLS = dict(zip(*[iter(_TABLE.split())] * 2, strict=True))
_FUNCTIONS = """
arccos arcsin arctan arg cos cosh Cov deg det diag dim erf err exp kl KL ln log med mod OPT Pr rank
sgn sign sin sinh supp tan tanh tr TV Var VC vol Bin Ber Beta Poisson Bernoulli
"""
FUNCTIONS = frozenset(_FUNCTIONS.split())
LIMITS = frozenset({"argmax", "argmin", "inf", "lim", "limsup", "liminf", "max", "min", "sup"})
SPACES = {"quad": 1.0, "qquad": 2.0, ",": 0.167, ":": 0.222, ";": 0.278, " ": 0.25, "!": -0.167}
ACCENTS = {"hat": "^", "widehat": "^", "bar": "¯", "overline": "¯", "tilde": "~", "widetilde": "~"}
ACCENTS |= {"dot": "˙", "vec": "→", "check": "ˇ"}
COMBINING = {"\u0302": "^", "\u0304": "¯", "\u0303": "~", "\u0307": "˙", "\u030c": "ˇ"}
ALPHABETS = {
    "mathbb": "DOUBLE-STRUCK",
    "mathcal": "SCRIPT",
    "mathbf": "BOLD",
    "mathsf": "SANS-SERIF",
}
