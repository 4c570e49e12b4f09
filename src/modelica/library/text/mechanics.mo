// SPDX-License-Identifier: BSD-3-Clause
// A frame's matrix T resolves a vector of the world in the frame: v2 = T*v1. A planar rotation
// about the unit vector e by phi has T = e*e' + (I - e*e')*cos(phi) - skew(e)*sin(phi).

function 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.resolve1'
  input Real T[3, 3];
  input Real v2[3];
  output Real v1[3];
algorithm
  v1 := transpose(T) * v2;
end 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.resolve1';

function 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.resolve2'
  input Real T[3, 3];
  input Real v1[3];
  output Real v2[3];
algorithm
  v2 := T * v1;
end 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.resolve2';

function 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotation'
  input Real e[3];
  input Real angle;
  output Real T[3, 3];
algorithm
  T := outerProduct(e, e) + (identity(3) - outerProduct(e, e)) * cos(angle) - skew(e) * sin(angle);
end 'Modelica.Mechanics.MultiBody.Frames.TransformationMatrices.planarRotation';

function 'Modelica.Mechanics.MultiBody.Frames.planarRotationAngle'
  input Real e[3];
  input Real v1[3];
  input Real v2[3];
  output Real angle;
algorithm
  angle := atan2(-cross(e, v1) * v2, v1 * v2 - (e * v1) * (e * v2));
end 'Modelica.Mechanics.MultiBody.Frames.planarRotationAngle';

record 'Modelica.Mechanics.MultiBody.Frames.Orientation'
  Real T[3, 3];
  Real w[3];
end 'Modelica.Mechanics.MultiBody.Frames.Orientation';

function 'Modelica.Mechanics.MultiBody.Frames.resolve1'
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
  input Real v2[3];
  output Real v1[3];
algorithm
  v1 := transpose(R.T) * v2;
end 'Modelica.Mechanics.MultiBody.Frames.resolve1';

function 'Modelica.Mechanics.MultiBody.Frames.resolve2'
  input 'Modelica.Mechanics.MultiBody.Frames.Orientation' R;
  input Real v1[3];
  output Real v2[3];
algorithm
  v2 := R.T * v1;
end 'Modelica.Mechanics.MultiBody.Frames.resolve2';
