import releases from 'node-releases/data/processed/envs.json' with { type: 'json' }

/** Returns the date of a version's line, as `2026-10-14`; null if it is unknown. */
export function releaseDate(version: string): string | null {
  const first = version.replace(/\.\d+$/, '.0')
  return releases.find((release) => release.version === first)?.date ?? null
}
