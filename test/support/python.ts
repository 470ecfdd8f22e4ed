import { spawnSync } from 'node:child_process'

export function hasPython(module = 'sys'): boolean {
  return spawnSync('python3', ['-c', `import ${module}`]).status === 0
}
