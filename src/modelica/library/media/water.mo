// SPDX-License-Identifier: BSD-3-Clause
// Water and steam by the IAPWS Industrial Formulation 1997 (release R7-97(2012)), whose equations
// and tables are named beside the functions; SI units. States of region 3 from p and h begin at
// the backward equations of SR3-03(2014), saturated ones at those of SR1-86(1992), and are then
// corrected by Newton's method. From p and T there are none: an assertion says so.

function 'IF97_Utilities.BaseIF97.Basic.g1' "Region 1: (7) with Table 2"
  input Real p;
  input Real T;
  output 'Modelica.Media.Common.GibbsDerivs' g;
  Integer I[34] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 8,
    8, 21, 23, 29, 30, 31, 32};
  Integer J[34] = {-2, -1, 0, 1, 2, 3, 4, 5, -9, -7, -1, 0, 1, 3, -3, 0, 1, 3, 17, -4, 0, 6, -5,
    -2, 10, -8, -11, -6, -29, -31, -38, -39, -40, -41};
  Real n[34] = {0.14632971213167, -0.84548187169114, -3.756360367204, 3.3855169168385,
    -0.95791963387872, 0.15772038513228, -0.016616417199501, 0.00081214629983568,
    0.00028319080123804, -0.00060706301565874, -0.018990068218419,
    -0.032529748770505, -0.021841717175414, -5.283835796993e-05,
    -0.00047184321073267, -0.00030001780793026, 4.7661393906987e-05,
    -4.4141845330846e-06, -7.2694996297594e-16, -3.1679644845054e-05,
    -2.8270797985312e-06, -8.5205128120103e-10, -2.2425281908e-06,
    -6.5171222895601e-07, -1.4341729937924e-13, -4.0516996860117e-07,
    -1.2734301741641e-09, -1.7424871230634e-10, -6.8762131295531e-19,
    1.4478307828521e-20, 2.6335781662795e-23, -1.1947622640071e-23,
    1.8228094581404e-24, -9.3537087292458e-26};
  Real pi = p / 16.53e6;
  Real tau = 1386 / T;
  Real x = 7.1 - pi;
  Real y = tau - 1.222;
  Real a;
algorithm
  g.p := p;
  g.T := T;
  g.R_s := 461.526;
  g.pi := pi;
  g.tau := tau;
  g.g := 0;
  g.gpi := 0;
  g.gpipi := 0;
  g.gtau := 0;
  g.gtautau := 0;
  g.gtaupi := 0;
  for k in 1:34 loop
    a := n[k] * x ^ I[k] * y ^ J[k];
    g.g := g.g + a;
    g.gpi := g.gpi - a * I[k] / x;
    g.gpipi := g.gpipi + a * I[k] * (I[k] - 1) / x ^ 2;
    g.gtau := g.gtau + a * J[k] / y;
    g.gtautau := g.gtautau + a * J[k] * (J[k] - 1) / y ^ 2;
    g.gtaupi := g.gtaupi - a * I[k] * J[k] / (x * y);
  end for;
end 'IF97_Utilities.BaseIF97.Basic.g1';

function 'IF97_Utilities.BaseIF97.Basic.gas' "The ideal gas and what is left, (16) and (17) or (33) and (34)"
  input Real p;
  input Real T;
  input Real T0 "tau = T0 / T";
  input Real shift "of tau in what is left";
  input Integer J0[:];
  input Real n0[:];
  input Integer I[:];
  input Integer J[:];
  input Real n[:];
  output 'Modelica.Media.Common.GibbsDerivs' g;
  Real pi = p / 1e6;
  Real tau = T0 / T;
  Real y = tau - shift;
  Real a;
algorithm
  g.p := p;
  g.T := T;
  g.R_s := 461.526;
  g.pi := pi;
  g.tau := tau;
  g.g := log(pi);
  g.gpi := 1 / pi;
  g.gpipi := -1 / pi ^ 2;
  g.gtau := 0;
  g.gtautau := 0;
  g.gtaupi := 0;
  for k in 1:size(n0, 1) loop
    a := n0[k] * tau ^ J0[k];
    g.g := g.g + a;
    g.gtau := g.gtau + a * J0[k] / tau;
    g.gtautau := g.gtautau + a * J0[k] * (J0[k] - 1) / tau ^ 2;
  end for;
  for k in 1:size(n, 1) loop
    a := n[k] * pi ^ I[k] * y ^ J[k];
    g.g := g.g + a;
    g.gpi := g.gpi + a * I[k] / pi;
    g.gpipi := g.gpipi + a * I[k] * (I[k] - 1) / pi ^ 2;
    g.gtau := g.gtau + a * J[k] / y;
    g.gtautau := g.gtautau + a * J[k] * (J[k] - 1) / y ^ 2;
    g.gtaupi := g.gtaupi + a * I[k] * J[k] / (pi * y);
  end for;
end 'IF97_Utilities.BaseIF97.Basic.gas';

function 'IF97_Utilities.BaseIF97.Basic.g2' "Region 2: (15) with Tables 10 and 11"
  input Real p;
  input Real T;
  input Boolean checkLimits = true;
  output 'Modelica.Media.Common.GibbsDerivs' g;
  Integer J0[9] = {0, 1, -5, -4, -3, -2, -1, 2, 3};
  Real n0[9] = {-9.6927686500217, 10.086655968018, -0.005608791128302, 0.071452738081455,
    -0.40710498223928, 1.4240819171444, -4.383951131945, -0.28408632460772,
    0.021268463753307};
  Integer I[43] = {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 5, 6, 6, 6, 7, 7, 7, 8, 8,
    9, 10, 10, 10, 16, 16, 18, 20, 20, 20, 21, 22, 23, 24, 24, 24};
  Integer J[43] = {0, 1, 2, 3, 6, 1, 2, 4, 7, 36, 0, 1, 3, 6, 35, 1, 2, 3, 7, 3, 16, 35, 0, 11, 25,
    8, 36, 13, 4, 10, 14, 29, 50, 57, 20, 35, 48, 21, 53, 39, 26, 40, 58};
  Real n[43] = {-0.0017731742473213, -0.017834862292358, -0.045996013696365, -0.057581259083432,
    -0.05032527872793, -3.3032641670203e-05, -0.00018948987516315,
    -0.0039392777243355, -0.043797295650573, -2.6674547914087e-05,
    2.0481737692309e-08, 4.3870667284435e-07, -3.227767723857e-05,
    -0.0015033924542148, -0.040668253562649, -7.8847309559367e-10,
    1.2790717852285e-08, 4.8225372718507e-07, 2.2922076337661e-06,
    -1.6714766451061e-11, -0.0021171472321355, -23.895741934104,
    -5.905956432427e-18, -1.2621808899101e-06, -0.038946842435739,
    1.1256211360459e-11, -8.2311340897998, 1.9809712802088e-08, 1.0406965210174e-19,
    -1.0234747095929e-13, -1.0018179379511e-09, -8.0882908646985e-11,
    0.10693031879409, -0.33662250574171, 8.9185845355421e-25, 3.0629316876232e-13,
    -4.2002467698208e-06, -5.9056029685639e-26, 3.7826947613457e-06,
    -1.2768608934681e-15, 7.3087610595061e-29, 5.5414715350778e-17,
    -9.436970724121e-07};
algorithm
  g := 'IF97_Utilities.BaseIF97.Basic.gas'(p, T, 540, 0.5, J0, n0, I, J, n);
end 'IF97_Utilities.BaseIF97.Basic.g2';

function 'IF97_Utilities.BaseIF97.Basic.g5' "Region 5: (32) with Tables 37 and 38"
  input Real p;
  input Real T;
  output 'Modelica.Media.Common.GibbsDerivs' g;
  Integer J0[6] = {0, 1, -3, -2, -1, 2};
  Real n0[6] = {-13.179983674201, 6.8540841634434, -0.024805148933466, 0.36901534980333,
    -3.1161318213925, -0.32961626538917};
  Integer I[6] = {1, 1, 1, 2, 2, 3};
  Integer J[6] = {1, 2, 3, 3, 9, 7};
  Real n[6] = {0.0015736404855259, 0.00090153761673944, -0.0050270077677648,
    2.2440037409485e-06, -4.1163275453471e-06, 3.7919454822955e-08};
algorithm
  g := 'IF97_Utilities.BaseIF97.Basic.gas'(p, T, 1000, 0, J0, n0, I, J, n);
end 'IF97_Utilities.BaseIF97.Basic.g5';

function 'IF97_Utilities.BaseIF97.Basic.f3' "Region 3: (28) with Table 30"
  input Real d;
  input Real T;
  output 'Modelica.Media.Common.HelmholtzDerivs' f;
  Integer I[39] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 5,
    5, 5, 6, 6, 6, 7, 8, 9, 9, 10, 10, 11};
  Integer J[39] = {0, 1, 2, 7, 10, 12, 23, 2, 6, 15, 17, 0, 2, 6, 7, 22, 26, 0, 2, 4, 16, 26, 0, 2,
    4, 26, 1, 3, 26, 0, 2, 26, 2, 26, 2, 26, 0, 1, 26};
  Real n[39] = {-15.732845290239, 20.944396974307, -7.6867707878716, 2.6185947787954,
    -2.808078114862, 1.2053369696517, -0.0084566812812502, -1.2654315477714,
    -1.1524407806681, 0.88521043984318, -0.64207765181607, 0.38493460186671,
    -0.85214708824206, 4.8972281541877, -3.0502617256965, 0.039420536879154,
    0.12558408424308, -0.2799932969871, 1.389979956946, -2.018991502357,
    -0.0082147637173963, -0.47596035734923, 0.0439840744735, -0.44476435428739,
    0.90572070719733, 0.70522450087967, 0.10770512626332, -0.32913623258954,
    -0.50871062041158, -0.022175400873096, 0.094260751665092, 0.16436278447961,
    -0.013503372241348, -0.014834345352472, 0.00057922953628084, 0.0032308904703711,
    8.0964802996215e-05, -0.00016557679795037, -4.4923899061815e-05};
  Real n1 = 1.0658070028513;
  Real delta = d / 322;
  Real tau = 647.096 / T;
  Real a;
algorithm
  f.d := d;
  f.T := T;
  f.R_s := 461.526;
  f.delta := delta;
  f.tau := tau;
  f.f := n1 * log(delta);
  f.fdelta := n1 / delta;
  f.fdeltadelta := -n1 / delta ^ 2;
  f.ftau := 0;
  f.ftautau := 0;
  f.fdeltatau := 0;
  for k in 1:39 loop
    a := n[k] * delta ^ I[k] * tau ^ J[k];
    f.f := f.f + a;
    f.fdelta := f.fdelta + a * I[k] / delta;
    f.fdeltadelta := f.fdeltadelta + a * I[k] * (I[k] - 1) / delta ^ 2;
    f.ftau := f.ftau + a * J[k] / tau;
    f.ftautau := f.ftautau + a * J[k] * (J[k] - 1) / tau ^ 2;
    f.fdeltatau := f.fdeltatau + a * I[k] * J[k] / (delta * tau);
  end for;
end 'IF97_Utilities.BaseIF97.Basic.f3';

function 'IF97_Utilities.BaseIF97.Basic.tph1' "T(p, h) in region 1: (11) with Table 6"
  input Real p;
  input Real h;
  output Real T;
  Integer I[20] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 5, 6};
  Integer J[20] = {0, 1, 2, 6, 22, 32, 0, 1, 2, 3, 4, 10, 32, 10, 32, 10, 32, 32, 32, 32};
  Real n[20] = {-238.72489924521, 404.21188637945, 113.49746881718, -5.8457616048039,
    -0.0001528548241314, -1.0866707695377e-06, -13.391744872602, 43.211039183559,
    -54.010067170506, 30.535892203916, -6.5964749423638, 0.0093965400878363,
    1.157364750534e-07, -2.5858641282073e-05, -4.0644363084799e-09,
    6.6456186191635e-08, 8.0670734103027e-11, -9.3477771213947e-13,
    5.8265442020601e-15, -1.5020185953503e-17};
  Real x = p / 1e6;
  Real y = h / 2.5e6 + 1;
algorithm
  T := 0;
  for k in 1:20 loop
    T := T + n[k] * x ^ I[k] * y ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Basic.tph1';

function 'IF97_Utilities.BaseIF97.Basic.tph2a' "Subregion 2a: (22) with Table 20"
  input Real p;
  input Real h;
  output Real T;
  Integer I[34] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 4, 4,
    4, 5, 5, 5, 6, 6, 7};
  Integer J[34] = {0, 1, 2, 3, 7, 20, 0, 1, 2, 3, 7, 9, 11, 18, 44, 0, 2, 7, 36, 38, 40, 42, 44,
    24, 44, 12, 32, 44, 32, 36, 42, 34, 44, 28};
  Real n[34] = {1089.8952318288, 849.51654495535, -107.81748091826, 33.153654801263,
    -7.4232016790248, 11.765048724356, 1.844574935579, -4.1792700549624,
    6.2478196935812, -17.344563108114, -200.58176862096, 271.96065473796,
    -455.11318285818, 3091.9688604755, 252266.40357872, -0.0061707422868339,
    -0.31078046629583, 11.670873077107, 128127984.04046, -985549096.23276,
    2822454697.3002, -3594897141.0703, 1722734991.3197, -13551.334240775,
    12848734.66465, 1.3865724283226, 235988.32556514, -13105236.545054,
    7399.9835474766, -551966.9703006, 3715408.5996233, 19127.72923966,
    -415351.64835634, -62.459855192507};
  Real x = p / 1e6;
  Real y = h / 2e6 - 2.1;
algorithm
  T := 0;
  for k in 1:34 loop
    T := T + n[k] * x ^ I[k] * y ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Basic.tph2a';

function 'IF97_Utilities.BaseIF97.Basic.tph2b' "Subregion 2b: (23) with Table 21"
  input Real p;
  input Real h;
  output Real T;
  Integer I[38] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4,
    4, 4, 4, 5, 5, 5, 6, 7, 7, 9, 9};
  Integer J[38] = {0, 1, 2, 12, 18, 24, 28, 40, 0, 2, 6, 12, 18, 24, 28, 40, 2, 8, 18, 40, 1, 2,
    12, 24, 2, 12, 18, 24, 28, 40, 18, 24, 40, 28, 2, 28, 1, 40};
  Real n[38] = {1489.5041079516, 743.07798314034, -97.708318797837, 2.4742464705674,
    -0.63281320016026, 1.1385952129658, -0.47811863648625, 0.0085208123431544,
    0.93747147377932, 3.3593118604916, 3.3809355601454, 0.16844539671904,
    0.73875745236695, -0.47128737436186, 0.15020273139707, -0.002176411421975,
    -0.021810755324761, -0.10829784403677, -0.046333324635812, 7.1280351959551e-05,
    0.00011032831789999, 0.00018955248387902, 0.0030891541160537,
    0.0013555504554949, 2.8640237477456e-07, -1.0779857357512e-05,
    -7.6462712454814e-05, 1.4052392818316e-05, -3.1083814331434e-05,
    -1.0302738212103e-06, 2.821728163504e-07, 1.2704902271945e-06,
    7.3803353468292e-08, -1.1030139238909e-08, -8.1456365207833e-14,
    -2.5180545682962e-11, -1.7565233969407e-18, 8.6934156344163e-15};
  Real x = p / 1e6 - 2;
  Real y = h / 2e6 - 2.6;
algorithm
  T := 0;
  for k in 1:38 loop
    T := T + n[k] * x ^ I[k] * y ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Basic.tph2b';

function 'IF97_Utilities.BaseIF97.Basic.tph2c' "Subregion 2c: (24) with Table 22"
  input Real p;
  input Real h;
  output Real T;
  Integer I[23] = {-7, -7, -6, -6, -5, -5, -2, -2, -1, -1, 0, 0, 1, 1, 2, 6, 6, 6, 6, 6, 6, 6, 6};
  Integer J[23] = {0, 4, 0, 2, 0, 2, 0, 1, 0, 2, 0, 1, 4, 8, 4, 0, 1, 4, 10, 12, 16, 20, 22};
  Real n[23] = {-3236839855524.2, 7326335090218.1, 358250899454.47, -583401318515.9,
    -10783068217.47, 20825544563.171, 610747.83564516, 859777.2253558,
    -25745.72360417, 31081.088422714, 1208.2315865936, 482.19755109255,
    3.7966001272486, -10.842984880077, -0.04536417267666, 1.4559115658698e-13,
    1.126159740723e-12, -1.7804982240686e-11, 1.2324579690832e-07,
    -1.1606921130984e-06, 2.7846367088554e-05, -0.00059270038474176,
    0.0012918582991878};
  Real x = p / 1e6 + 25;
  Real y = h / 2e6 - 1.8;
algorithm
  T := 0;
  for k in 1:23 loop
    T := T + n[k] * x ^ I[k] * y ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Basic.tph2c';

function 'IF97_Utilities.BaseIF97.Basic.tph2' "T(p, h) in region 2, divided at 4 MPa and by (20)"
  input Real p;
  input Real h;
  output Real T;
  Real H = h / 1e3;
algorithm
  T := if p <= 4e6 then 'IF97_Utilities.BaseIF97.Basic.tph2a'(p, h)
    else if p / 1e6 < 905.84278514723 - 0.67955786399241 * H + 1.2809002730136e-4 * H ^ 2
    then 'IF97_Utilities.BaseIF97.Basic.tph2b'(p, h)
    else 'IF97_Utilities.BaseIF97.Basic.tph2c'(p, h);
end 'IF97_Utilities.BaseIF97.Basic.tph2';

function 'IF97_Utilities.BaseIF97.Basic.tph3a' "T(p, h) in subregion 3a: (2) with Table 3 of SR3-03"
  input Real p;
  input Real h;
  output Real T;
  Integer I[31] = {-12, -12, -12, -12, -12, -12, -12, -12, -10, -10, -10, -8, -8, -8, -8, -5, -3,
    -2, -2, -2, -1, -1, 0, 0, 1, 3, 3, 4, 4, 10, 12};
  Integer J[31] = {0, 1, 2, 6, 14, 16, 20, 22, 1, 5, 12, 0, 2, 4, 10, 2, 0, 1, 3, 4, 0, 2, 0, 1,
    1, 0, 1, 0, 3, 4, 5};
  Real n[31] = {-1.33645667811215e-07, 4.55912656802978e-06, -1.46294640700979e-05,
    0.0063934131297008, 372.783927268847, -7186.54377460447, 573494.7521034, -2675693.29111439,
    -3.34066283302614e-05, -0.0245479214069597, 47.8087847764996, 7.64664131818904e-06,
    0.00128350627676972, 0.0171219081377331, -8.51007304583213, -0.0136513461629781,
    -3.84460997596657e-06, 0.00337423807911655, -0.551624873066791, 0.72920227710747,
    -0.00992522757376041, -0.119308831407288, 0.793929190615421, 0.454270731799386,
    0.20999859125991, -0.00642109823904738, -0.023515586860454, 0.00252233108341612,
    -0.00764885133368119, 0.0136176427574291, -0.0133027883575669};
  Real x = p / 1e8 + 0.24;
  Real y = h / 2.3e6 - 0.615;
algorithm
  T := 0;
  for k in 1:31 loop
    T := T + 760 * n[k] * x ^ I[k] * y ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Basic.tph3a';

function 'IF97_Utilities.BaseIF97.Basic.tph3b' "Subregion 3b: (3) with Table 4"
  input Real p;
  input Real h;
  output Real T;
  Integer I[33] = {-12, -12, -10, -10, -10, -10, -10, -8, -8, -8, -8, -8, -6, -6, -6, -4, -4, -3,
    -2, -2, -1, -1, -1, -1, -1, -1, 0, 0, 1, 3, 5, 6, 8};
  Integer J[33] = {0, 1, 0, 1, 5, 10, 12, 0, 1, 2, 4, 10, 0, 1, 2, 0, 1, 5, 0, 4, 2, 4, 6, 10, 14,
    16, 0, 2, 1, 1, 1, 1, 1};
  Real n[33] = {3.2325457364492e-05, -0.000127575556587181, -0.000475851877356068,
    0.00156183014181602, 0.105724860113781, -85.8514221132534, 724.140095480911,
    0.00296475810273257, -0.00592721983365988, -0.0126305422818666, -0.115716196364853,
    84.9000969739595, -0.0108602260086615, 0.0154304475328851, 0.0750455441524466,
    0.0252520973612982, -0.0602507901232996, -3.07622221350501, -0.0574011959864879,
    5.03471360939849, -0.925081888584834, 3.91733882917546, -77.314600713019, 9493.08762098587,
    -1410437.19679409, 8491662.30819026, 0.861095729446704, 0.32334644281172, 0.873281936020439,
    -0.436653048526683, 0.286596714529479, -0.131778331276228, 0.00676682064330275};
  Real x = p / 1e8 + 0.298;
  Real y = h / 2.8e6 - 0.72;
algorithm
  T := 0;
  for k in 1:33 loop
    T := T + 860 * n[k] * x ^ I[k] * y ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Basic.tph3b';

function 'IF97_Utilities.BaseIF97.Basic.vph3a' "v(p, h) in subregion 3a: (4) with Table 6"
  input Real p;
  input Real h;
  output Real v;
  Integer I[32] = {-12, -12, -12, -12, -10, -10, -10, -8, -8, -6, -6, -6, -4, -4, -3, -2, -2, -1,
    -1, -1, -1, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5, 8};
  Integer J[32] = {6, 8, 12, 18, 4, 7, 10, 5, 12, 3, 4, 22, 2, 3, 7, 3, 16, 0, 1, 2, 3, 0, 1, 0,
    1, 2, 0, 2, 0, 2, 2, 2};
  Real n[32] = {0.00529944062966028, -0.170099690234461, 11.1323814312927, -2178.98123145125,
    -0.000506061827980875, 0.556495239685324, -9.43672726094016, -0.297856807561527,
    93.9353943717186, 0.0192944939465981, 0.421740664704763, -3689141.2628233,
    -0.00737566847600639, -0.354753242424366, -1.99768169338727, 1.15456297059049,
    5683.6687581596, 0.00808169540124668, 0.172416341519307, 1.04270175292927, -0.297691372792847,
    0.560394465163593, 0.275234661176914, -0.148347894866012, -0.0651142513478515,
    -2.92468715386302, 0.0664876096952665, 3.52335014263844, -0.0146340792313332,
    -2.24503486668184, 1.10533464706142, -0.0408757344495612};
  Real x = p / 1e8 + 0.128;
  Real y = h / 2.1e6 - 0.727;
algorithm
  v := 0;
  for k in 1:32 loop
    v := v + 0.0028 * n[k] * x ^ I[k] * y ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Basic.vph3a';

function 'IF97_Utilities.BaseIF97.Basic.vph3b' "Subregion 3b: (5) with Table 7"
  input Real p;
  input Real h;
  output Real v;
  Integer I[30] = {-12, -12, -8, -8, -8, -8, -8, -8, -6, -6, -6, -6, -6, -6, -4, -4, -4, -3, -3,
    -2, -2, -1, -1, -1, -1, 0, 1, 1, 2, 2};
  Integer J[30] = {0, 1, 0, 1, 3, 6, 7, 8, 0, 1, 2, 5, 6, 10, 3, 6, 10, 0, 2, 1, 2, 0, 1, 4, 5, 0,
    0, 1, 2, 6};
  Real n[30] = {-2.25196934336318e-09, 1.40674363313486e-08, 2.3378408528056e-06,
    -3.31833715229001e-05, 0.00107956778514318, -0.271382067378863, 1.07202262490333,
    -0.853821329075382, -2.15214194340526e-05, 0.00076965608822273, -0.00431136580433864,
    0.453342167309331, -0.507749535873652, -100.475154528389, -0.219201924648793,
    -3.21087965668917, 607.567815637771, 0.000557686450685932, 0.18749904002955,
    0.00905368030448107, 0.285417173048685, 0.0329924030996098, 0.239897419685483,
    4.82754995951394, -11.8035753702231, 0.169490044091791, -0.0179967222507787,
    0.0371810116332674, -0.0536288335065096, 1.6069710109252};
  Real x = p / 1e8 + 0.0661;
  Real y = h / 2.8e6 - 0.72;
algorithm
  v := 0;
  for k in 1:30 loop
    v := v + 0.0088 * n[k] * x ^ I[k] * y ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Basic.vph3b';

function 'IF97_Utilities.BaseIF97.Basic.psat' "Region 4: (30) with Table 34"
  input Real T;
  output Real p;
  Real theta = T - 0.23855557567849 / (T - 650.17534844798);
  Real A = theta ^ 2 + 1167.0521452767 * theta - 724213.16703206;
  Real B = -17.073846940092 * theta ^ 2 + 12020.82470247 * theta - 3232555.0322333;
  Real C = 14.91510861353 * theta ^ 2 - 4823.2657361591 * theta + 405113.40542057;
algorithm
  p := 1e6 * (2 * C / (-B + sqrt(B ^ 2 - 4 * A * C))) ^ 4;
end 'IF97_Utilities.BaseIF97.Basic.psat';

function 'IF97_Utilities.BaseIF97.Basic.tsat' "Region 4: (31) with Table 34"
  input Real p;
  output Real T;
  Real b = (p / 1e6) ^ 0.25;
  Real E = b ^ 2 - 17.073846940092 * b + 14.91510861353;
  Real F = 1167.0521452767 * b ^ 2 + 12020.82470247 * b - 4823.2657361591;
  Real G = -724213.16703206 * b ^ 2 - 3232555.0322333 * b + 405113.40542057;
  Real D = 2 * G / (-F - sqrt(F ^ 2 - 4 * E * G));
algorithm
  T := (650.17534844798 + D - sqrt((650.17534844798 + D) ^ 2
    - 4 * (-0.23855557567849 + 650.17534844798 * D))) / 2;
end 'IF97_Utilities.BaseIF97.Basic.tsat';

function 'IF97_Utilities.BaseIF97.Basic.dptofT' "dp/dT of saturation: (29), differentiated"
  input Real T;
  output Real dpT;
  Real u = T - 0.23855557567849 / (T - 650.17534844798);
  Real du = 1 + 0.23855557567849 / (T - 650.17534844798) ^ 2;
  Real b = ('IF97_Utilities.BaseIF97.Basic.psat'(T) / 1e6) ^ 0.25;
algorithm
  dpT := -4e6 * b ^ 3 * du * (2 * b ^ 2 * u + 1167.0521452767 * b ^ 2
    - 2 * 17.073846940092 * b * u + 12020.82470247 * b + 2 * 14.91510861353 * u - 4823.2657361591)
    / (2 * b * (u ^ 2 + 1167.0521452767 * u - 724213.16703206)
    - 17.073846940092 * u ^ 2 + 12020.82470247 * u - 3232555.0322333);
end 'IF97_Utilities.BaseIF97.Basic.dptofT';

function 'IF97_Utilities.BaseIF97.Basic.dtsatofp'
  input Real p;
  output Real dtsat;
algorithm
  dtsat := 1 / 'IF97_Utilities.BaseIF97.Basic.dptofT'('IF97_Utilities.BaseIF97.Basic.tsat'(p));
end 'IF97_Utilities.BaseIF97.Basic.dtsatofp';

function 'IF97_Utilities.enthalpy1' "h(p, T) in region 1"
  input Real p;
  input Real T;
  output Real h;
  'Modelica.Media.Common.GibbsDerivs' g;
algorithm
  g := 'IF97_Utilities.BaseIF97.Basic.g1'(p, T);
  h := 461.526 * 1386 * g.gtau;
end 'IF97_Utilities.enthalpy1';

function 'IF97_Utilities.enthalpy2' "h(p, T) in region 2"
  input Real p;
  input Real T;
  output Real h;
  'Modelica.Media.Common.GibbsDerivs' g;
algorithm
  g := 'IF97_Utilities.BaseIF97.Basic.g2'(p, T);
  h := 461.526 * 540 * g.gtau;
end 'IF97_Utilities.enthalpy2';

function 'IF97_Utilities.saturated3' "Above 623.15 K: p(d, T) = psat(T)"
  input Real p;
  input Boolean is_water;
  output Real d;
  output Real h;
  'Modelica.Media.Common.HelmholtzDerivs' f;
  Real T = 'IF97_Utilities.BaseIF97.Basic.tsat'(p);
  Real t = max(1 - T / 647.096, 0);
algorithm
  // From a little outside, where p(d) has its bend on the other side: no step goes too far.
  d := if is_water then 322 * 1.003 * (1 + 1.99274064 * t ^ (1 / 3) + 1.09965342 * t ^ (2 / 3)
    - 0.510839303 * t ^ (5 / 3) - 1.75493479 * t ^ (16 / 3) - 45.5170352 * t ^ (43 / 3)
    - 6.7469445e5 * t ^ (110 / 3))
    else 322 * 0.997 * exp(-2.0315024 * t ^ (1 / 3) - 2.6830294 * t ^ (2 / 3)
    - 5.38626492 * t ^ (4 / 3) - 17.2991605 * t ^ 3 - 44.7586581 * t ^ (37 / 6)
    - 63.9201063 * t ^ (71 / 6));
  for k in 1:4 loop
    f := 'IF97_Utilities.BaseIF97.Basic.f3'(d, T);
    d := d - (d * f.delta * f.fdelta - p / (461.526 * T))
      / (f.delta * (2 * f.fdelta + f.delta * f.fdeltadelta));
  end for;
  d := if is_water then max(d, 322) else min(d, 322);
  f := 'IF97_Utilities.BaseIF97.Basic.f3'(d, T);
  h := 461.526 * T * (f.tau * f.ftau + f.delta * f.fdelta);
end 'IF97_Utilities.saturated3';

function 'IF97_Utilities.BaseIF97.Regions.hl_p_R4b' "Boiling water above 623.15 K"
  input Real p;
  output Real h;
  Real d;
algorithm
  (d, h) := 'IF97_Utilities.saturated3'(p, true);
end 'IF97_Utilities.BaseIF97.Regions.hl_p_R4b';

function 'IF97_Utilities.BaseIF97.Regions.rhol_p_R4b'
  input Real p;
  output Real d;
  Real h;
algorithm
  (d, h) := 'IF97_Utilities.saturated3'(p, true);
end 'IF97_Utilities.BaseIF97.Regions.rhol_p_R4b';

function 'IF97_Utilities.hl_p' "Boiling water"
  input Real p;
  output Real h;
algorithm
  h := if p <= 16529164.3
    then 'IF97_Utilities.enthalpy1'(p, 'IF97_Utilities.BaseIF97.Basic.tsat'(p))
    else 'IF97_Utilities.BaseIF97.Regions.hl_p_R4b'(p);
end 'IF97_Utilities.hl_p';

function 'IF97_Utilities.rhol_T'
  input Real T;
  output Real d;
  'Modelica.Media.Common.GibbsDerivs' g;
  Real p;
algorithm
  p := 'IF97_Utilities.BaseIF97.Basic.psat'(T);
  g := 'IF97_Utilities.BaseIF97.Basic.g1'(p, T);
  d := if T <= 623.15 then p / (461.526 * T * g.pi * g.gpi)
    else 'IF97_Utilities.BaseIF97.Regions.rhol_p_R4b'(p);
end 'IF97_Utilities.rhol_T';

function 'IF97_Utilities.BaseIF97.Regions.hv_p_R4b' "Saturated steam above 623.15 K"
  input Real p;
  output Real h;
  Real d;
algorithm
  (d, h) := 'IF97_Utilities.saturated3'(p, false);
end 'IF97_Utilities.BaseIF97.Regions.hv_p_R4b';

function 'IF97_Utilities.BaseIF97.Regions.rhov_p_R4b'
  input Real p;
  output Real d;
  Real h;
algorithm
  (d, h) := 'IF97_Utilities.saturated3'(p, false);
end 'IF97_Utilities.BaseIF97.Regions.rhov_p_R4b';

function 'IF97_Utilities.hv_p' "Saturated steam"
  input Real p;
  output Real h;
algorithm
  h := if p <= 16529164.3
    then 'IF97_Utilities.enthalpy2'(p, 'IF97_Utilities.BaseIF97.Basic.tsat'(p))
    else 'IF97_Utilities.BaseIF97.Regions.hv_p_R4b'(p);
end 'IF97_Utilities.hv_p';

function 'IF97_Utilities.rhov_T'
  input Real T;
  output Real d;
  'Modelica.Media.Common.GibbsDerivs' g;
  Real p;
algorithm
  p := 'IF97_Utilities.BaseIF97.Basic.psat'(T);
  g := 'IF97_Utilities.BaseIF97.Basic.g2'(p, T);
  d := if T <= 623.15 then p / (461.526 * T * g.pi * g.gpi)
    else 'IF97_Utilities.BaseIF97.Regions.rhov_p_R4b'(p);
end 'IF97_Utilities.rhov_T';

function 'IF97_Utilities.BaseIF97.Regions.boundary23ofp' "T(p) between regions 2 and 3: (6)"
  input Real p;
  output Real T;
algorithm
  T := 572.54459862746 + sqrt(max(p / 1e6 - 13.91883977887, 0) / 1.0192970039326e-3);
end 'IF97_Utilities.BaseIF97.Regions.boundary23ofp';

function 'IF97_Utilities.BaseIF97.Regions.psat3ofh' "Region 3: (10) with Table 17 of SR3-03"
  input Real h;
  output Real p;
  Integer I[14] = {0, 1, 1, 1, 1, 5, 7, 8, 14, 20, 22, 24, 28, 36};
  Integer J[14] = {0, 1, 3, 4, 36, 3, 0, 24, 16, 16, 3, 18, 8, 24};
  Real n[14] = {0.600073641753024, -9.36203654849857, 24.6590798594147, -107.014222858224,
    -0.915821315805768e14, -8623.32011700662, -23.5837344740032, 0.252304969384128e18,
    -0.389718771997719e19, -0.333775713645296e23, 0.356499469636328e11, -0.148547544720641e27,
    0.330611514838798e19, 0.813641294467829e38};
  Real y = h / 2.6e6;
algorithm
  p := 0;
  for k in 1:14 loop
    p := p + 22e6 * n[k] * (y - 1.02) ^ I[k] * (y - 0.608) ^ J[k];
  end for;
end 'IF97_Utilities.BaseIF97.Regions.psat3ofh';

function 'IF97_Utilities.BaseIF97.Regions.region_ph'
  input Real p;
  input Real h;
  input Integer phase = 0;
  input Integer mode = 0;
  output Integer region;
  Real T2 = 'IF97_Utilities.BaseIF97.Basic.tph2'(max(p, 611.657), max(h, 1000));
  Real Ts = 'IF97_Utilities.BaseIF97.Basic.tsat'(p);
algorithm
  // Above 1073.15 K by T(p, h): within its 25 mK.
  if mode <> 0 then
    region := mode;
  elseif phase == 2 then
    region := 4;
  elseif p <= 16529164.3 then
    region := if h <= 'IF97_Utilities.enthalpy1'(p, Ts) then 1
      else if h < 'IF97_Utilities.enthalpy2'(p, Ts) then 4 else if T2 <= 1073.15 then 2 else 5;
  else
    region := if h < 'IF97_Utilities.enthalpy1'(p, 623.15) then 1
      else if h < 'IF97_Utilities.enthalpy2'(p,
      'IF97_Utilities.BaseIF97.Regions.boundary23ofp'(p)) then
      (if phase == 0 and h < 2563592 and p < 'IF97_Utilities.BaseIF97.Regions.psat3ofh'(h) then 4
      else 3)
      else if T2 <= 1073.15 then 2 else 5;
  end if;
end 'IF97_Utilities.BaseIF97.Regions.region_ph';

function 'IF97_Utilities.BaseIF97.Regions.region_pT'
  input Real p;
  input Real T;
  input Integer mode = 0;
  output Integer region;
algorithm
  region := if mode <> 0 then mode else if T > 1073.15 then 5
    else if T <= 623.15 then
      (if p > 'IF97_Utilities.BaseIF97.Basic.psat'(min(T, 623.15)) then 1 else 2)
    else if T > 'IF97_Utilities.BaseIF97.Regions.boundary23ofp'(p) then 2 else 3;
end 'IF97_Utilities.BaseIF97.Regions.region_pT';

function 'IF97_Utilities.BaseIF97.Inverses.dofpt3'
  input Real p;
  input Real T;
  input Real delp;
  output Real d;
  output Integer error;
algorithm
  assert(false, "Water near its critical point (region 3 of IF97) is supplied by pressure and "
    + "enthalpy, not by temperature.");
  d := 322;
  error := 1;
end 'IF97_Utilities.BaseIF97.Inverses.dofpt3';

function 'IF97_Utilities.state_pT' "Density, enthalpy and entropy outside of region 3"
  input Real p;
  input Real T;
  input Integer region;
  output Real rho;
  output Real h;
  output Real s;
  Integer r;
  Real d3;
  Integer error;
  'Modelica.Media.Common.GibbsDerivs' g;
algorithm
  r := 'IF97_Utilities.BaseIF97.Regions.region_pT'(p, T, region);
  if r == 3 then
    (d3, error) := 'IF97_Utilities.BaseIF97.Inverses.dofpt3'(p, T, 1);
  end if;
  if r == 1 then
    g := 'IF97_Utilities.BaseIF97.Basic.g1'(p, T);
  elseif r == 5 then
    g := 'IF97_Utilities.BaseIF97.Basic.g5'(p, T);
  else
    g := 'IF97_Utilities.BaseIF97.Basic.g2'(p, T);
  end if;
  rho := p / (461.526 * T * g.pi * g.gpi);
  h := 461.526 * T * g.tau * g.gtau;
  s := 461.526 * (g.tau * g.gtau - g.g);
end 'IF97_Utilities.state_pT';

function 'IF97_Utilities.rho_pT'
  input Real p;
  input Real T;
  input Integer region = 0;
  output Real rho;
algorithm
  rho := 'IF97_Utilities.state_pT'(p, T, region);
end 'IF97_Utilities.rho_pT';

function 'IF97_Utilities.h_pT'
  input Real p;
  input Real T;
  input Integer region = 0;
  output Real h;
  Real rho;
algorithm
  (rho, h) := 'IF97_Utilities.state_pT'(p, T, region);
end 'IF97_Utilities.h_pT';

function 'IF97_Utilities.s_pT'
  input Real p;
  input Real T;
  input Integer region = 0;
  output Real s;
  Real rho;
  Real h;
algorithm
  (rho, h, s) := 'IF97_Utilities.state_pT'(p, T, region);
end 'IF97_Utilities.s_pT';

function 'IF97_Utilities.BaseIF97.Inverses.dtofph3'
  input Real p;
  input Real h;
  input Real delp;
  input Real delh;
  output Real d;
  output Real T;
  output Integer error;
  'Modelica.Media.Common.HelmholtzDerivs' f;
  Real P = p / 1e6;
  Boolean is_3a = h / 1e3 < 2014.64004206875 + 3.74696550136983 * P - 0.0219921901054187 * P ^ 2
    + 8.7513168600995e-5 * P ^ 3 "(1) of SR3-03";
  Real R = 461.526;
  Real rp;
  Real rh;
  Real pd;
  Real pT;
  Real hd;
  Real hT;
algorithm
  d := 1 / (if is_3a then 'IF97_Utilities.BaseIF97.Basic.vph3a'(p, h)
    else 'IF97_Utilities.BaseIF97.Basic.vph3b'(p, h));
  T := if is_3a then 'IF97_Utilities.BaseIF97.Basic.tph3a'(p, h)
    else 'IF97_Utilities.BaseIF97.Basic.tph3b'(p, h);
  for k in 1:2 loop
    f := 'IF97_Utilities.BaseIF97.Basic.f3'(d, T);
    rp := R * T * d * f.delta * f.fdelta - p;
    rh := R * T * (f.tau * f.ftau + f.delta * f.fdelta) - h;
    pd := R * T * f.delta * (2 * f.fdelta + f.delta * f.fdeltadelta);
    pT := R * d * f.delta * (f.fdelta - f.tau * f.fdeltatau);
    hd := R * T / d * f.delta * (f.tau * f.fdeltatau + f.fdelta + f.delta * f.fdeltadelta);
    hT := pT / d - R * f.tau ^ 2 * f.ftautau;
    d := d - (rp * hT - rh * pT) / (pd * hT - pT * hd);
    T := T - (pd * rh - hd * rp) / (pd * hT - pT * hd);
  end for;
  error := 0;
end 'IF97_Utilities.BaseIF97.Inverses.dtofph3';

function 'IF97_Utilities.BaseIF97.Inverses.tofph5' "By Newton's method from a constant cp"
  input Real p;
  input Real h;
  input Real reldh;
  output Real T;
  output Integer error;
  'Modelica.Media.Common.GibbsDerivs' g;
algorithm
  T := 1500 + (h - 5.22e6) / 2700;
  for k in 1:3 loop
    g := 'IF97_Utilities.BaseIF97.Basic.g5'(p, T);
    T := T + (h - 461.526 * 1000 * g.gtau) / (-461.526 * g.tau ^ 2 * g.gtautau);
  end for;
  error := 0;
end 'IF97_Utilities.BaseIF97.Inverses.tofph5';

function 'Modelica.Media.Common.gibbsToBoundaryProps'
  input 'Modelica.Media.Common.GibbsDerivs' g;
  output 'Modelica.Media.Common.PhaseBoundaryProperties' b;
  Real slope = g.gpi - g.tau * g.gtaupi;
algorithm
  b.d := g.p / (g.R_s * g.T * g.pi * g.gpi);
  b.h := g.R_s * g.T * g.tau * g.gtau;
  b.u := g.R_s * g.T * (g.tau * g.gtau - g.pi * g.gpi);
  b.s := g.R_s * (g.tau * g.gtau - g.g);
  b.cp := -g.R_s * g.tau ^ 2 * g.gtautau;
  b.cv := g.R_s * (slope ^ 2 / g.gpipi - g.tau ^ 2 * g.gtautau);
  b.pt := -g.p / g.T * slope / (g.gpipi * g.pi);
  b.pd := -g.R_s * g.T * g.gpi ^ 2 / g.gpipi;
end 'Modelica.Media.Common.gibbsToBoundaryProps';

function 'Modelica.Media.Common.helmholtzToBoundaryProps'
  input 'Modelica.Media.Common.HelmholtzDerivs' f;
  output 'Modelica.Media.Common.PhaseBoundaryProperties' b;
algorithm
  b.d := f.d;
  b.h := f.R_s * f.T * (f.tau * f.ftau + f.delta * f.fdelta);
  b.u := f.R_s * f.T * f.tau * f.ftau;
  b.s := f.R_s * (f.tau * f.ftau - f.f);
  b.pd := f.R_s * f.T * f.delta * (2 * f.fdelta + f.delta * f.fdeltadelta);
  b.pt := f.R_s * f.d * f.delta * (f.fdelta - f.tau * f.fdeltatau);
  b.cv := -f.R_s * f.tau ^ 2 * f.ftautau;
  b.cp := b.cv + f.T * b.pt ^ 2 / (f.d ^ 2 * b.pd);
end 'Modelica.Media.Common.helmholtzToBoundaryProps';

function 'Modelica.Media.Common.cv2Phase' "du/dT of u = ul + x(uv - ul) at constant v"
  input 'Modelica.Media.Common.PhaseBoundaryProperties' liq;
  input 'Modelica.Media.Common.PhaseBoundaryProperties' vap;
  input Real x;
  input Real T;
  input Real p;
  output Real cv;
  Real dpT = (vap.s - liq.s) * liq.d * vap.d / (liq.d - vap.d);
  Real dvl = (liq.pt - dpT) / (liq.pd * liq.d ^ 2) "dv/dT along the boiling curve";
  Real dvv = (vap.pt - dpT) / (vap.pd * vap.d ^ 2);
  Real dul = liq.cv + (T * liq.pt - p) * dvl;
  Real duv = vap.cv + (T * vap.pt - p) * dvv;
  Real dx = -(dvl + x * (dvv - dvl)) / (1 / vap.d - 1 / liq.d);
algorithm
  cv := dul + x * (duv - dul) + dx * (vap.u - liq.u);
end 'Modelica.Media.Common.cv2Phase';

function 'IF97_Utilities.BaseIF97.Transport.visc_dTp' "IAPWS R12-08: (11) and (12) with Table 2"
  input Real d;
  input Real T;
  input Real p;
  input Integer phase = 0;
  output Real eta;
  Integer I[21] = {0, 1, 2, 3, 0, 1, 2, 3, 5, 0, 1, 2, 3, 4, 0, 1, 0, 3, 4, 3, 5};
  Integer J[21] = {0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 6};
  Real n[21] = {0.520094, 0.0850895, -1.08374, -0.289555, 0.222531, 0.999115, 1.88797, 1.26613,
    0.120573, -0.281378, -0.906851, -0.772479, -0.489837, -0.25704, 0.161913,
    0.257399, -0.0325372, 0.0698452, 0.00872102, -0.00435673, -0.000593264};
  Real x = 647.096 / T;
  Real rho = d / 322;
  Real sum;
algorithm
  sum := 0;
  for k in 1:21 loop
    sum := sum + n[k] * (x - 1) ^ I[k] * (rho - 1) ^ J[k];
  end for;
  eta := 1e-4 / sqrt(x) / (1.67752 + 2.20462 * x + 0.6366564 * x ^ 2 - 0.241605 * x ^ 3)
    * exp(rho * sum);
end 'IF97_Utilities.BaseIF97.Transport.visc_dTp';

function 'IF97_Utilities.BaseIF97.Transport.surfaceTension' "IAPWS R1-76(2014)"
  input Real T;
  output Real sigma;
  Real x = 1 - T / 647.096;
algorithm
  sigma := 0.2358 * x ^ 1.256 * (1 - 0.625 * x);
end 'IF97_Utilities.BaseIF97.Transport.surfaceTension';
