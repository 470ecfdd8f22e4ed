/** Decides which runs belong to a flow. A file named like a built-in flow has its own runs. */
import type { FlowRunSummary } from '../../../shared/model/flow-run.ts'

function nameOfFile(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path
}

/** The window knows only a file's name and the command line its path, so compare names. */
export function isRunOf(
  { name, origin }: { readonly name: string; readonly origin: string | null },
  run: Pick<FlowRunSummary, 'flow' | 'origin'>,
): boolean {
  if (run.flow !== name) return false
  if (origin === null || run.origin === null) return origin === run.origin
  return nameOfFile(origin) === nameOfFile(run.origin)
}
