/** What this computer has of Python, for tests that need it. */
import { spawnSync } from 'node:child_process'

/** Whether Python is installed, with a module that may be missing. */
export function hasPython(module = 'sys'): boolean {
  return spawnSync('python3', ['-c', `import ${module}`]).status === 0
}
