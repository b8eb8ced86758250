# Completions of claim for Elvish, 0.18 or newer. `claim completions elvish` prints this file; claim itself says what
# may stand at the cursor.

use str

set edit:completion:arg-completer[claim] = {|@words|
  var word = $words[-1]
  var replies = [(try { e:claim complete --word=$word -- (all $words[1..-1]) | from-lines } catch { put nothing })]
  if (has-value [files directories commands] $replies[0]) {
    edit:complete-filename $word
  }
  for reply $replies[1..] {
    var value about = (str:split &max=2 "\t" $reply)
    var suffix = ' '
    if (str:has-suffix $value /) {
      set suffix = ''
    }
    var display = $value
    if (not-eq $about '') {
      set display = $value'  ('$about')'
    }
    edit:complex-candidate $value &code-suffix=$suffix &display=$display
  }
}
