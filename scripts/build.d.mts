/** The part of the build script that tests call. */
type Target = 'node' | 'app' | 'library'
export interface BuildOptions {
  readonly targets?: readonly Target[]
}
export class BuildError extends Error {}
export function buildIfStale(options?: BuildOptions): Promise<void>
export function buildAll(options?: BuildOptions): Promise<void>
export function isFresh(target: Target): Promise<boolean>
