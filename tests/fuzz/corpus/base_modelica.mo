//! base 0.1.0
package 'P'
  type 'Kind' = enumeration('off', 'on');
  record 'Frame'
    Real 'T'[2, 2];
    Real 'w'[2](each unit = "rad/s");
  end 'Frame';
  function 'lib.f' "two results"
    input 'Frame' 'R';
    input Real 'x'[:] = {1.0, 2.0};
    output Real 'y';
    output Real 'z'[2];
  protected
    Integer 'i';
  algorithm
    'z' := 'R'.'T' * 'x';
    'y' := 0.0;
    for 'j' in 1:2 loop
      if 'x'['j'] > 0 then
        'y' := 'y' + 'x'['j'];
      elseif 'x'['j'] < -1 then
        'y' := 0;
      else
        'y' := -'y';
      end if;
    end for;
  end 'lib.f';
  model 'P'
    parameter 'Kind' 'k' = 'Kind'.'on';
    parameter Real 'p'(fixed = false, start = 1.0);
    Real 'a.R.T[1,1]', 'a.R.T[1,2]', 'a.R.T[2,1]', 'a.R.T[2,2]', 'a.R.w[1]', 'a.R.w[2]';
    Real 'n'[3], 'y', 'z'[2];
    Integer 'color[1]'(min = 0, max = 255);
  initial equation
    'p' = 'y';
  equation
    'a.R.T[1,1]' = 1; 'a.R.T[1,2]' = 0; 'a.R.T[2,1]' = 0; 'a.R.T[2,2]' = 1;
    'a.R.w[1]' = 0; 'a.R.w[2]' = ('lib.f'('a.R'));
    'n' = 'Modelica.Math.Vectors.normalize'({1.0, time, 0.0});
    ('y', 'z') = 'lib.f'('a.R', 'a.R.w');
    'color[1]' = if 'k' == 'Kind'.'on' then 255 else 0;
    annotation(experiment(StopTime = 1.0));
  end 'P';
end 'P';
