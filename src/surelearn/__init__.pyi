from . import booleans as booleans
from . import bounds as bounds
from . import checks as checks
from . import claims as claims
from . import datasets as datasets
from . import impurities as impurities
from . import kernels as kernels
from . import losses as losses
from . import optimizers as optimizers
from . import plots as plots
from .adapters.river import to_river as to_river
from .app.audit import AuditRun as AuditRun
from .app.audit_frame import AuditedTable as AuditedTable
from .app.audit_frame import audit as audit
from .app.certify_frame import CertifiedTable as CertifiedTable
from .app.certify_frame import certify as certify
from .base import OnlineLinearClassifier as OnlineLinearClassifier
from .base import OnlineLinearRegressor as OnlineLinearRegressor
from .base import check_certificate as check_certificate
from .base.hyperplanes import functional_margin as functional_margin
from .base.hyperplanes import geometric_margin as geometric_margin
from .base.hyperplanes import project_onto_hyperplane as project_onto_hyperplane
from .base.hyperplanes import signed_distance as signed_distance
from .base.online.conservative import Conservative as Conservative
from .bounds import Guarantee as Guarantee
from .certificate import BoundViolatedError as BoundViolatedError
from .certificate import Certificate as Certificate
from .certificate import LedgerEntry as LedgerEntry
from .certificate import Precondition as Precondition
from .certificate import joint_delta as joint_delta
from .evaluate.adversarial import play_against as play_against
from .evaluate.bayes_rule import BayesRule as BayesRule
from .evaluate.bayes_rule import bayes_rule as bayes_rule
from .evaluate.bias_variance import BiasVariance as BiasVariance
from .evaluate.bias_variance import RiskDecomposition as RiskDecomposition
from .evaluate.bias_variance import bias_variance as bias_variance
from .evaluate.bias_variance import decompose_risk as decompose_risk
from .evaluate.boosting_trace import BoostingTrace as BoostingTrace
from .evaluate.boosting_trace import trace_boosting as trace_boosting
from .evaluate.calibration import Calibration as Calibration
from .evaluate.calibration import calibration_curve as calibration_curve
from .evaluate.claim_planning import ClaimPlan as ClaimPlan
from .evaluate.claim_planning import plan_claim as plan_claim
from .evaluate.comparison import Comparison as Comparison
from .evaluate.comparison import compare as compare
from .evaluate.confidence_boosting import ConfidenceBoosting as ConfidenceBoosting
from .evaluate.confidence_boosting import boost_confidence as boost_confidence
from .evaluate.coverage import Coverage as Coverage
from .evaluate.coverage import simulate_coverage as simulate_coverage
from .evaluate.cross_validation import CrossValidation as CrossValidation
from .evaluate.cross_validation import cross_validate as cross_validate
from .evaluate.dependence import AccumulatedEffects as AccumulatedEffects
from .evaluate.dependence import PartialDependence as PartialDependence
from .evaluate.dependence import accumulated_effects as accumulated_effects
from .evaluate.dependence import partial_dependence as partial_dependence
from .evaluate.drift_alarm import DriftAlarm as DriftAlarm
from .evaluate.endpoint import EndpointEstimate as EndpointEstimate
from .evaluate.endpoint import estimate_endpoint as estimate_endpoint
from .evaluate.estimators import EstimatorMoments as EstimatorMoments
from .evaluate.estimators import estimator_moments as estimator_moments
from .evaluate.fit_verdict import FitVerdict as FitVerdict
from .evaluate.fit_verdict import judge_fit as judge_fit
from .evaluate.holdout import Holdout as Holdout
from .evaluate.holdout import Quantile as Quantile
from .evaluate.intervals import Interval as Interval
from .evaluate.intervals import holdout_interval as holdout_interval
from .evaluate.intervals import wald_interval as wald_interval
from .evaluate.learning_curve import LearningCurve as LearningCurve
from .evaluate.learning_curve import learning_curve as learning_curve
from .evaluate.leave_one_out import LeaveOneOut as LeaveOneOut
from .evaluate.leave_one_out import leave_one_out as leave_one_out
from .evaluate.linear_regret import linear_regret as linear_regret
from .evaluate.minimum_disagreement import MinimumDisagreement as MinimumDisagreement
from .evaluate.minimum_disagreement import minimum_disagreement as minimum_disagreement
from .evaluate.mistakes import Mistakes as Mistakes
from .evaluate.mistakes import mistakes_curve as mistakes_curve
from .evaluate.model_difference_monitor import (
    ModelDifferenceMonitor as ModelDifferenceMonitor,
)
from .evaluate.nested_cross_validation import NestedCrossValidation as NestedCrossValidation
from .evaluate.nested_cross_validation import nested_cross_validate as nested_cross_validate
from .evaluate.online_conformal import OnlineConformal as OnlineConformal
from .evaluate.online_to_batch import OnlineToBatch as OnlineToBatch
from .evaluate.online_to_batch import certify_suffix as certify_suffix
from .evaluate.online_to_batch import online_to_batch as online_to_batch
from .evaluate.paired_folds import PairedFolds as PairedFolds
from .evaluate.paired_folds import cross_validate_in_pairs as cross_validate_in_pairs
from .evaluate.paired_folds import nest as nest
from .evaluate.planning import HoldoutPlan as HoldoutPlan
from .evaluate.planning import SamplePlan as SamplePlan
from .evaluate.planning import plan_holdout as plan_holdout
from .evaluate.planning import plan_sample as plan_sample
from .evaluate.progressive import ProgressiveValidation as ProgressiveValidation
from .evaluate.progressive import progressive_validate as progressive_validate
from .evaluate.rate_monitor import RateMonitor as RateMonitor
from .evaluate.recorded_holdout import RecordedHoldout as RecordedHoldout
from .evaluate.regret import Regret as Regret
from .evaluate.regret import bandit_regret as bandit_regret
from .evaluate.regret import experts_regret as experts_regret
from .evaluate.replace_one import ReplaceOneStability as ReplaceOneStability
from .evaluate.replace_one import replace_one_stability as replace_one_stability
from .evaluate.resampled_intervals import conservative_z_interval as conservative_z_interval
from .evaluate.resampled_intervals import corrected_t_interval as corrected_t_interval
from .evaluate.resampled_intervals import nested_cv_interval as nested_cv_interval
from .evaluate.risk_monitor import RiskMonitor as RiskMonitor
from .evaluate.rule_class import RuleClass as RuleClass
from .evaluate.selection import Selection as Selection
from .evaluate.selection import parameter_grid as parameter_grid
from .evaluate.selection import select_by_cross_validation as select_by_cross_validation
from .evaluate.selection import select_on_dev_set as select_on_dev_set
from .evaluate.structural_risk import StructuralRisk as StructuralRisk
from .evaluate.structural_risk import minimize_structural_risk as minimize_structural_risk
from .evaluate.tail_bounds import TailBounds as TailBounds
from .evaluate.tail_bounds import chernoff_method as chernoff_method
from .evaluate.tail_bounds import tail_bounds as tail_bounds
from .evaluate.transfer import transfer as transfer
from .kernels import Agreement as Agreement
from .kernels import Anova as Anova
from .kernels import Gaussian as Gaussian
from .kernels import Linear as Linear
from .kernels import Polynomial as Polynomial
from .kernels import Subsequence as Subsequence
from .learners.bandits.exp3 import Exp3 as Exp3
from .learners.bandits.exp3_ix import Exp3IX as Exp3IX
from .learners.bandits.kl_ucb import KLUCB as KLUCB
from .learners.bandits.thompson_sampling import ThompsonSampling as ThompsonSampling
from .learners.bandits.tsallis_inf import TsallisInf as TsallisInf
from .learners.bandits.ucb1 import UCB1 as UCB1
from .learners.bayes.categorical_naive_bayes import CategoricalNaiveBayes as CategoricalNaiveBayes
from .learners.bayes.gaussian_naive_bayes import GaussianNaiveBayes as GaussianNaiveBayes
from .learners.bayes.mixed_naive_bayes import MixedNaiveBayes as MixedNaiveBayes
from .learners.concepts.axis_aligned_rectangle import AxisAlignedRectangle as AxisAlignedRectangle
from .learners.concepts.conjunction import Conjunction as Conjunction
from .learners.concepts.disjunction import Disjunction as Disjunction
from .learners.concepts.finite_class import FiniteClass as FiniteClass
from .learners.concepts.halfspace import Halfspace as Halfspace
from .learners.concepts.k_cnf import KCNF as KCNF
from .learners.concepts.k_dnf import KDNF as KDNF
from .learners.concepts.monotone_conjunction import MonotoneConjunction as MonotoneConjunction
from .learners.concepts.monotone_disjunction import MonotoneDisjunction as MonotoneDisjunction
from .learners.decompositions.alternating_least_squares import (
    AlternatingLeastSquares as AlternatingLeastSquares,
)
from .learners.decompositions.low_rank_approximation import (
    LowRankApproximation as LowRankApproximation,
)
from .learners.decompositions.matrix_completion import MatrixCompletion as MatrixCompletion
from .learners.decompositions.principal_components import PrincipalComponents as PrincipalComponents
from .learners.decompositions.rank_one_completion import RankOneCompletion as RankOneCompletion
from .learners.decompositions.rank_one_completion import complete_rank_one as complete_rank_one
from .learners.decompositions.soft_impute import SoftImpute as SoftImpute
from .learners.encoders.table_encoder import TableEncoder as TableEncoder
from .learners.ensembles.adaboost_classifier import AdaBoostClassifier as AdaBoostClassifier
from .learners.ensembles.bagging_classifier import BaggingClassifier as BaggingClassifier
from .learners.ensembles.bagging_regressor import BaggingRegressor as BaggingRegressor
from .learners.ensembles.forward_stagewise_classifier import (
    ForwardStagewiseClassifier as ForwardStagewiseClassifier,
)
from .learners.ensembles.forward_stagewise_regressor import (
    ForwardStagewiseRegressor as ForwardStagewiseRegressor,
)
from .learners.ensembles.gradient_boosting_classifier import (
    GradientBoostingClassifier as GradientBoostingClassifier,
)
from .learners.ensembles.gradient_boosting_regressor import (
    GradientBoostingRegressor as GradientBoostingRegressor,
)
from .learners.ensembles.locally_scaled_regressor import (
    LocallyScaledRegressor as LocallyScaledRegressor,
)
from .learners.ensembles.random_forest_classifier import (
    RandomForestClassifier as RandomForestClassifier,
)
from .learners.ensembles.random_forest_regressor import (
    RandomForestRegressor as RandomForestRegressor,
)
from .learners.experts.adahedge import AdaHedge as AdaHedge
from .learners.experts.aggregating_algorithm import AggregatingAlgorithm as AggregatingAlgorithm
from .learners.experts.doubling import Doubling as Doubling
from .learners.experts.fixed_share import FixedShare as FixedShare
from .learners.experts.halving import Halving as Halving
from .learners.experts.hedge import Hedge as Hedge
from .learners.experts.randomized_weighted_majority import (
    RandomizedWeightedMajority as RandomizedWeightedMajority,
)
from .learners.experts.squint import Squint as Squint
from .learners.experts.weighted_majority import WeightedMajority as WeightedMajority
from .learners.kernelized.averaged_kernel_perceptron import (
    AveragedKernelPerceptron as AveragedKernelPerceptron,
)
from .learners.kernelized.budgeted_kernel_perceptron import (
    BudgetedKernelPerceptron as BudgetedKernelPerceptron,
)
from .learners.kernelized.kernel_huber_regression import (
    KernelHuberRegression as KernelHuberRegression,
)
from .learners.kernelized.kernel_logistic_regression import (
    KernelLogisticRegression as KernelLogisticRegression,
)
from .learners.kernelized.kernel_pegasos import KernelPegasos as KernelPegasos
from .learners.kernelized.kernel_perceptron import KernelPerceptron as KernelPerceptron
from .learners.kernelized.kernel_ridge import KernelRidge as KernelRidge
from .learners.kernelized.support_vector_classifier import (
    SupportVectorClassifier as SupportVectorClassifier,
)
from .learners.kernelized.support_vector_regressor import (
    SupportVectorRegressor as SupportVectorRegressor,
)
from .learners.kernelized.voted_kernel_perceptron import (
    VotedKernelPerceptron as VotedKernelPerceptron,
)
from .learners.linear.adagrad import AdaGrad as AdaGrad
from .learners.linear.adagrad import AdaGradRegressor as AdaGradRegressor
from .learners.linear.averaged_perceptron import AveragedPerceptron as AveragedPerceptron
from .learners.linear.linear_regression import LinearRegression as LinearRegression
from .learners.linear.logistic_regression import LogisticRegression as LogisticRegression
from .learners.linear.maximum_entropy import MaximumEntropy as MaximumEntropy
from .learners.linear.maximum_entropy_quasi_newton import (
    MaximumEntropyQuasiNewton as MaximumEntropyQuasiNewton,
)
from .learners.linear.normalized_winnow import NormalizedWinnow as NormalizedWinnow
from .learners.linear.online_gradient_descent import OnlineGradientDescent as OnlineGradientDescent
from .learners.linear.online_gradient_descent import (
    OnlineGradientDescentRegressor as OnlineGradientDescentRegressor,
)
from .learners.linear.online_ridge import OnlineRidge as OnlineRidge
from .learners.linear.passive_aggressive import PassiveAggressive as PassiveAggressive
from .learners.linear.passive_aggressive import PassiveAggressiveSquared as PassiveAggressiveSquared
from .learners.linear.passive_aggressive_regressor import (
    PassiveAggressiveRegressor as PassiveAggressiveRegressor,
)
from .learners.linear.passive_aggressive_regressor import (
    PassiveAggressiveSquaredRegressor as PassiveAggressiveSquaredRegressor,
)
from .learners.linear.pegasos import Pegasos as Pegasos
from .learners.linear.perceptron import Perceptron as Perceptron
from .learners.linear.ridge_regression import RidgeRegression as RidgeRegression
from .learners.linear.schedules import AdaptiveRate as AdaptiveRate
from .learners.linear.schedules import FixedRate as FixedRate
from .learners.linear.schedules import InverseSquareRootRate as InverseSquareRootRate
from .learners.linear.schedules import StronglyConvexRate as StronglyConvexRate
from .learners.linear.second_order_perceptron import SecondOrderPerceptron as SecondOrderPerceptron
from .learners.linear.voted_perceptron import VotedPerceptron as VotedPerceptron
from .learners.linear.winnow import Winnow as Winnow
from .learners.mixtures.bernoulli_mixture import BernoulliMixture as BernoulliMixture
from .learners.mixtures.gaussian_mixture import GaussianMixture as GaussianMixture
from .learners.neighbors.condensed_nearest_neighbor import (
    CondensedNearestNeighbor as CondensedNearestNeighbor,
)
from .learners.neighbors.nearest_neighbors_classifier import (
    NearestNeighborsClassifier as NearestNeighborsClassifier,
)
from .learners.neighbors.nearest_neighbors_regressor import (
    NearestNeighborsRegressor as NearestNeighborsRegressor,
)
from .learners.trees.c45_classifier import C45Classifier as C45Classifier
from .learners.trees.cart_classifier import CARTClassifier as CARTClassifier
from .learners.trees.cart_regressor import CARTRegressor as CARTRegressor
from .learners.trees.id3_classifier import ID3Classifier as ID3Classifier
from .learners.trees.node_tests import IntervalTest as IntervalTest
from .learners.trees.node_tests import SetTest as SetTest
from .learners.trees.tree_predictor import TreeNode as TreeNode
from .learners.trees.tree_predictor import TreePredictor as TreePredictor
from .losses import Absolute as Absolute
from .losses import CostMatrix as CostMatrix
from .losses import Entropic as Entropic
from .losses import EpsilonInsensitive as EpsilonInsensitive
from .losses import Exponential as Exponential
from .losses import Hinge as Hinge
from .losses import Huber as Huber
from .losses import Logarithmic as Logarithmic
from .losses import Logistic as Logistic
from .losses import Multinomial as Multinomial
from .losses import PerceptronLoss as PerceptronLoss
from .losses import QuantileLoss as QuantileLoss
from .losses import Square as Square
from .losses import ZeroOne as ZeroOne
from .optimizers import check_convex as check_convex
from .optimizers import check_convex_quadratic as check_convex_quadratic
from .optimizers import check_convex_set as check_convex_set
from .optimizers import check_midpoint as check_midpoint
from .optimizers import gradient_descent as gradient_descent
from .optimizers import momentum as momentum
from .optimizers import nesterov as nesterov
from .optimizers import stochastic_gradient_descent as stochastic_gradient_descent
from .scale.streams import blocks as blocks
from .scale.streams import learn_stream as learn_stream
