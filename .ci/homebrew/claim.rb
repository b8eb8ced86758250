# The formula as a template: the release workflow puts the address and the checksum of the source archive in.
class Claim < Formula
  desc "Stops parallel AI-agent sessions on one machine from colliding"
  homepage "@HOMEPAGE@"
  url "@URL@"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    bash_completion.install "completions/claim.bash" => "claim"
    zsh_completion.install "completions/_claim"
    fish_completion.install "completions/claim.fish"
    system bin/"claim", "man", man1
  end

  test do
    ENV["CLAIM_DIR"] = testpath/"place"
    system bin/"claim", "take", "shared-config", "testing", "--holder", "one"
    shell_output("#{bin}/claim take shared-config testing --holder two 2>&1", 75)
    system bin/"claim", "release", "--all", "--holder", "one"
    assert_empty (testpath/"place/claims").children
  end
end
