/** The part of the build script that tests call. */
export interface BuildOptions {
  readonly targets?: readonly ('node' | 'app')[]
}
export class BuildError extends Error {}
export function buildIfStale(options?: BuildOptions): Promise<void>
export function buildAll(options?: BuildOptions): Promise<void>
export function isFresh(target: 'node' | 'app'): Promise<boolean>
