/** Release dates of Node, as known when this Countersign was built. */
import releases from 'node-releases/data/processed/envs.json' with { type: 'json' }

/**
 * Returns the release date of the first patch of a version's line (24.22.0 for 24.22.3), as `2026-10-14`; null if the line is newer
 * than this build.
 */
export function releaseDate(version: string): string | null {
  const first = version.replace(/\.\d+$/, '.0')
  return releases.find((release) => release.version === first)?.date ?? null
}
