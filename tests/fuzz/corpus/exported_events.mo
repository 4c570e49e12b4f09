//! base 0.1.0
package 'P'
  type 'E' = enumeration('a', '\'b\'');
  class 'T1'
  extends ExternalObject;
    function constructor
      input String 'tableName';
      input String 'fileName';
      input Real[:, :] 'table';
      input Integer[:] 'columns';
      input Integer 'smoothness' = 1;
      output 'T1' 'it';
    external "C" 'it' = ModelicaStandardTables_CombiTable1D_init3('fileName');
    end constructor;
    function destructor
      input 'T1' 'it';
    external "C" ModelicaStandardTables_CombiTable1D_close('it');
    end destructor;
  end 'T1';
  function 'first'
    input Boolean[:] 'b';
    output Integer 'index';
    Integer 'n' = 0;
  algorithm
    while 'n' < 5 loop
      'n' := 'n' + 1;
      if 'n' > 3 then
        break;
      end if;
    end while;
    'index' := 0;
    for 'i' in 1:size('b', 1) loop
      if 'b'['i'] then
        'index' := 'i';
        return;
      end if;
    end for;
  end 'first';
  model 'M'
    parameter 'T1' 't' = 'T1'("NoName", "NoName", {{0.0, 1.0}, {1.0, 2.0}}, {2}, 2);
    Boolean 'b[1]';
    Boolean 'b[2]';
    Integer 'i';
    Integer 'k';
    Real 'x'(start = 'Lib.guess'(1.0));
    Real 'y';
    discrete Real 's'(start = 0.0, fixed = true);
  initial equation
    pre('i') = 0;
  equation
    'b[1]' = time > 0.5;
    'b[2]' = max('b[1]', time > 0.2);
    'i' = 1 + 'first'({'b[1]'});
    'k' = 'first'({'b['i']'});
    'y' = 'Modelica.Blocks.Tables.Internal.getTable1DValueNoDer2'('t', 1, time);
    if 'b[\'i\']' then
      'x' = 1.0;
    elseif true then
      'x' = 2.0;
    end if;
    when {sample(0.0, 0.1), initial()} then
      's' = pre('s') + 1.0;
    end when;
  end 'M';
end 'P';
