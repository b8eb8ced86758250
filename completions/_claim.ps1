# Completions of claim for PowerShell. `claim completions powershell` prints this file; claim itself says what may stand
# at the cursor. Where claim says nothing, PowerShell offers files.

Register-ArgumentCompleter -Native -CommandName 'claim' -ScriptBlock {
    param($word, $command, $cursor)

    $before = @($command.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursor } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $typed = $word.Trim("'", '"')
    $replies = @(& claim complete "--word=$typed" '--' @before 2>$null)
    foreach ($reply in $replies | Select-Object -Skip 1) {
        $value, $about = $reply -split "`t", 2
        if (-not $value.StartsWith($typed)) { continue }
        $text = if ($value -match '[\s''"$`;&|(){}<>@#,]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
        $tip = if ($about) { $about } else { $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $tip)
    }
}
