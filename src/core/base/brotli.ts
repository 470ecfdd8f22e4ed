/** Patch number of the first safe Brotli release, by minor version of `1.MINOR`. */
const FIRST_PATCHED = new Map([
  [0, 10],
  [1, 1],
  [2, 1],
])

/** Returns why `br` isn't decoded, as a sentence, or null. */
export function brotliWeakness(version = process.versions['brotli']): string | null {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map(Number)
  const isPatched =
    major > 1 || (major === 1 && (minor > 2 || patch >= (FIRST_PATCHED.get(minor) ?? Infinity)))
  return isPatched
    ? null
    : `br isn't decoded, because the Brotli decoder of this Node (${version ?? 'unknown'}) is vulnerable (CVE-2026-111497).`
}
