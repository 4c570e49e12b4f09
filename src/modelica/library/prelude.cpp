// SPDX-License-Identifier: BSD-3-Clause
#include "modelica/library/prelude.hpp"

namespace daedal::modelica {

std::string_view prelude_text() {
  // A frame's matrix T resolves a vector of the world in the frame: v2 = T*v1. A planar rotation
  // about the unit vector e by phi has T = e*e' + (I - e*e')*cos(phi) - skew(e)*sin(phi).
  return R"(
function 'Modelica.Math.Vectors.length'
  input Real v[:];
  output Real result;
algorithm
  result := sqrt(v * v);
end 'Modelica.Math.Vectors.length';

function 'Modelica.Math.Vectors.norm'
  input Real v[:];
  input Real p = 2;
  output Real result;
algorithm
  if p == 2 then
    result := sqrt(v * v);
  else
    result := sum(abs(v) .^ p) ^ (1 / p);
  end if;
end 'Modelica.Math.Vectors.norm';

function 'Modelica.Math.Vectors.normalize'
  input Real v[:];
  input Real eps = 2.220446049250313e-14;
  output Real result[size(v, 1)];
algorithm
  result := v / max(sqrt(v * v), eps);
end 'Modelica.Math.Vectors.normalize';

function 'Modelica.Math.Vectors.normalizeWithAssert'
  input Real v[:];
  output Real result[size(v, 1)];
algorithm
  assert(v * v > 0, "A vector of length zero has no direction.");
  result := v / sqrt(v * v);
end 'Modelica.Math.Vectors.normalizeWithAssert';

function 'Modelica.Math.BooleanVectors.allTrue'
  input Boolean b[:];
  output Boolean result;
algorithm
  result := size(b, 1) > 0 and min(cat(1, {true}, b));
end 'Modelica.Math.BooleanVectors.allTrue';

function 'Modelica.Math.BooleanVectors.anyTrue'
  input Boolean b[:];
  output Boolean result;
algorithm
  result := max(cat(1, {false}, b));
end 'Modelica.Math.BooleanVectors.anyTrue';

function 'Modelica.Math.BooleanVectors.countTrue'
  input Boolean b[:];
  output Integer n;
algorithm
  n := sum(if b[i] then 1 else 0 for i in 1:size(b, 1));
end 'Modelica.Math.BooleanVectors.countTrue';

function 'Modelica.Math.BooleanVectors.oneTrue'
  input Boolean b[:];
  output Boolean result;
algorithm
  result := sum(if b[i] then 1 else 0 for i in 1:size(b, 1)) == 1;
end 'Modelica.Math.BooleanVectors.oneTrue';

function 'Modelica.Math.BooleanVectors.firstTrueIndex'
  input Boolean b[:];
  output Integer index;
algorithm
  index := 0;
  for i in 1:size(b, 1) loop
    if b[i] then
      index := i;
      return;
    end if;
  end for;
end 'Modelica.Math.BooleanVectors.firstTrueIndex';

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
)";
}

}  // namespace daedal::modelica
