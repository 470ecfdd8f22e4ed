import type { UserFile } from '../../ui-state/user-file.ts'

const CHECK_MS = 1_000

/** Calls back after each change of the file, until stopped. */
export function watchFile({ changedAt }: UserFile, onChanged: () => void): () => void {
  if (changedAt === null) return () => undefined
  let lastChangedAt: number | null = null
  let isChecking = false
  let isStopped = false
  const check = () => {
    if (isChecking) return
    isChecking = true
    changedAt()
      .then((time) => {
        if (isStopped) return
        if (lastChangedAt !== null && time !== lastChangedAt) onChanged()
        lastChangedAt = time
      })
      // Editors replace a file when saving, so it may be missing for a moment. Look again.
      .catch(() => undefined)
      .finally(() => {
        isChecking = false
      })
  }
  check()
  const timer = setInterval(check, CHECK_MS)
  return () => {
    isStopped = true
    clearInterval(timer)
  }
}
