/** Which runs are those of a flow: a file that is named like a built-in flow has runs of its own. */
import type { FlowRunSummary } from '../../../shared/model/flow-run.ts'

function nameOfFile(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path
}

/** The window knows a file by its name only, the command line by its path: so the names are compared. */
export function isRunOf(
  { name, origin }: { readonly name: string; readonly origin: string | null },
  run: Pick<FlowRunSummary, 'flow' | 'origin'>,
): boolean {
  if (run.flow !== name) return false
  if (origin === null || run.origin === null) return origin === run.origin
  return nameOfFile(origin) === nameOfFile(run.origin)
}
