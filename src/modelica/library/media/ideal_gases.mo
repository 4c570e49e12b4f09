// SPDX-License-Identifier: BSD-3-Clause
// Ideal gases and their mixtures:
//
// - heat capacity, enthalpy and entropy: B. J. McBride, M. J. Zehe, S. Gordon, "NASA Glenn
//   coefficients for calculating thermodynamic properties of individual species",
//   NASA/TP-2002-211556,
// - viscosity: T.-H. Chung, M. Ajlan, L. L. Lee, K. E. Starling, "Generalized multiparameter
//   correlation for nonpolar and polar fluid transport properties", Ind. Eng. Chem. Res. 27
//   (1988) 671-679; thermal conductivity: A. Eucken's rule and its modification, in R. C. Reid,
//   J. M. Prausnitz, B. E. Poling, "The Properties of Gases and Liquids", 4th ed., 10-3,
// - viscosity of mixtures: C. R. Wilke, J. Chem. Phys. 18 (1950) 517-519.

type 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy' = enumeration('ZeroAt0K', 'ZeroAt25C', 'UserDefined');

record 'Modelica.Media.IdealGases.Common.DataRecord'
  String name;
  Real MM;
  Real Hf;
  Real H0;
  Real Tlimit;
  Real alow[7];
  Real blow[2];
  Real ahigh[7];
  Real bhigh[2];
  Real R_s;
end 'Modelica.Media.IdealGases.Common.DataRecord';

function 'IdealGases.Common.Functions.cp' "cp/R of one range of temperatures"
  input Real a[7];
  input Real T;
  output Real cp;
algorithm
  cp := (a[1] / T + a[2]) / T + a[3] + T * (a[4] + T * (a[5] + T * (a[6] + T * a[7])));
end 'IdealGases.Common.Functions.cp';

function 'IdealGases.Common.Functions.h' "h/R of one range of temperatures"
  input Real a[7];
  input Real b[2];
  input Real T;
  output Real h;
algorithm
  h := b[1] - a[1] / T + a[2] * log(T)
    + T * (a[3] + T * (a[4] / 2 + T * (a[5] / 3 + T * (a[6] / 4 + T * a[7] / 5))));
end 'IdealGases.Common.Functions.h';

function 'IdealGases.Common.Functions.s' "s/R of one range of temperatures, at the pressure of reference"
  input Real a[7];
  input Real b[2];
  input Real T;
  output Real s;
algorithm
  s := b[2] - (a[1] / (2 * T) + a[2]) / T + a[3] * log(T)
    + T * (a[4] + T * (a[5] / 2 + T * (a[6] / 3 + T * a[7] / 4)));
end 'IdealGases.Common.Functions.s';

function 'IdealGases.Common.Functions.zero' "What is added to the enthalpy of the tables"
  input 'Modelica.Media.IdealGases.Common.DataRecord' data;
  input Boolean exclEnthForm;
  input 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy' refChoice;
  input Real h_off;
  output Real h;
algorithm
  h := (if exclEnthForm then -data.Hf else 0)
    + (if refChoice == 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.'ZeroAt0K' then data.H0 else 0)
    + (if refChoice == 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.'UserDefined' then h_off else 0);
end 'IdealGases.Common.Functions.zero';

function 'IdealGases.Common.Functions.cp_T'
  input 'Modelica.Media.IdealGases.Common.DataRecord' data;
  input Real T;
  output Real cp;
algorithm
  cp := data.R_s * (if T < data.Tlimit then 'IdealGases.Common.Functions.cp'(data.alow, T)
    else 'IdealGases.Common.Functions.cp'(data.ahigh, T));
end 'IdealGases.Common.Functions.cp_T';

function 'IdealGases.Common.Functions.cp_Tlow'
  input 'Modelica.Media.IdealGases.Common.DataRecord' data;
  input Real T;
  output Real cp;
algorithm
  cp := data.R_s * 'IdealGases.Common.Functions.cp'(data.alow, T);
end 'IdealGases.Common.Functions.cp_Tlow';

function 'IdealGases.Common.Functions.h_T'
  input 'Modelica.Media.IdealGases.Common.DataRecord' data;
  input Real T;
  input Boolean exclEnthForm = true;
  input 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy' refChoice
    = 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.'ZeroAt0K';
  input Real h_off = 0;
  output Real h;
algorithm
  h := data.R_s * (if T < data.Tlimit then 'IdealGases.Common.Functions.h'(data.alow, data.blow, T)
    else 'IdealGases.Common.Functions.h'(data.ahigh, data.bhigh, T))
    + 'IdealGases.Common.Functions.zero'(data, exclEnthForm, refChoice, h_off);
end 'IdealGases.Common.Functions.h_T';

function 'IdealGases.Common.Functions.h_Tlow'
  input 'Modelica.Media.IdealGases.Common.DataRecord' data;
  input Real T;
  input Boolean exclEnthForm = true;
  input 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy' refChoice
    = 'Modelica.Media.Interfaces.Choices.ReferenceEnthalpy'.'ZeroAt0K';
  input Real h_off = 0;
  output Real h;
algorithm
  h := data.R_s * 'IdealGases.Common.Functions.h'(data.alow, data.blow, T)
    + 'IdealGases.Common.Functions.zero'(data, exclEnthForm, refChoice, h_off);
end 'IdealGases.Common.Functions.h_Tlow';

function 'IdealGases.Common.Functions.s0_T'
  input 'Modelica.Media.IdealGases.Common.DataRecord' data;
  input Real T;
  output Real s;
algorithm
  s := data.R_s * (if T < data.Tlimit then 'IdealGases.Common.Functions.s'(data.alow, data.blow, T)
    else 'IdealGases.Common.Functions.s'(data.ahigh, data.bhigh, T));
end 'IdealGases.Common.Functions.s0_T';

function 'IdealGases.Common.Functions.s0_Tlow'
  input 'Modelica.Media.IdealGases.Common.DataRecord' data;
  input Real T;
  output Real s;
algorithm
  s := data.R_s * 'IdealGases.Common.Functions.s'(data.alow, data.blow, T);
end 'IdealGases.Common.Functions.s0_Tlow';

function 'IdealGases.Common.Functions.dynamicViscosityLowPressure' "Chung et al.: M in kg/mol, Vc in m3/mol, mu in Debye"
  input Real T;
  input Real Tc;
  input Real M;
  input Real Vc;
  input Real w;
  input Real mu;
  input Real k = 0;
  output Real eta;
  Real Tr;
  Real omega;
  Real F;
algorithm
  Tr := 1.2593 * T / Tc;
  omega := 1.16145 * Tr ^ (-0.14874) + 0.52487 * exp(-0.7732 * Tr) + 2.16178 * exp(-2.43787 * Tr);
  F := 1 - 0.2756 * w + 0.059035 * (131.3 * mu / sqrt(1e6 * Vc * Tc)) ^ 4 + k;
  eta := 40.785e-7 * F * sqrt(1e3 * M * T) / ((1e6 * Vc) ^ (2 / 3) * omega);
end 'IdealGases.Common.Functions.dynamicViscosityLowPressure';

function 'IdealGases.Common.Functions.thermalConductivityEstimate' "By Eucken (1) or modified (2)"
  input Real Cp;
  input Real eta;
  input Integer method = 1;
  input 'Modelica.Media.IdealGases.Common.DataRecord' data;
  output Real lambda;
algorithm
  lambda := eta * (if method == 1 then Cp + 1.25 * data.R_s else 1.32 * (Cp - data.R_s) + 1.77 * data.R_s);
end 'IdealGases.Common.Functions.thermalConductivityEstimate';

function massToMoleFractions
  input Real X[:];
  input Real MMX[:];
  output Real moleFractions[size(X, 1)];
algorithm
  moleFractions := (X ./ MMX) / sum(X ./ MMX);
end massToMoleFractions;

function moleToMassFractions
  input Real moleFractions[:];
  input Real MMX[:];
  output Real X[size(moleFractions, 1)];
algorithm
  X := (moleFractions .* MMX) / sum(moleFractions .* MMX);
end moleToMassFractions;

function gasMixtureViscosity "By Wilke"
  input Real yi[:];
  input Real M[size(yi, 1)];
  input Real mu[size(yi, 1)];
  output Real mum;
algorithm
  mum := sum(yi[i] * mu[i] / sum(yi[j] * (1 + sqrt(mu[i] / mu[j]) * (M[j] / M[i]) ^ 0.25) ^ 2
    / sqrt(8 * (1 + M[i] / M[j])) for j in 1:size(yi, 1)) for i in 1:size(yi, 1));
end gasMixtureViscosity;
