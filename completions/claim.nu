# Completions of claim for Nushell, 0.108 or newer. `claim completions nushell` prints this file; claim itself says what
# may stand at the cursor. Use it with `use claim.nu *`, or from an autoload directory.

def "nu-complete claim" [words: list<string>] {
  let word = $words | last
  let before = $words | skip 1 | drop 1
  let answer = try { ^claim complete $"--word=($word)" -- ...$before | complete } catch { {stdout: ""} }
  let replies = $answer.stdout | lines
  if ($replies | is-empty) or ($replies.0 in [files directories commands]) {
    # Nushell's own completion of files.
    return null
  }
  $replies
  | skip 1
  | each {|reply| $reply | split row --number 2 (char tab) }
  | where {|reply| $reply.0 | str starts-with $word }
  | each {|reply| { value: $reply.0, description: ($reply | get --optional 1 | default "") } }
}

@complete "nu-complete claim"
export extern claim []
