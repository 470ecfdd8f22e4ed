/** A thin, labeled progress bar. The browser's own element can't use the app's colors. */
import { classNames } from './class-names.ts'

export function ProgressBar({
  label,
  value,
  max,
  className,
}: {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly className?: string
}) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={max}
      className={classNames('h-1.5 overflow-hidden rounded-full bg-control', className)}
    >
      <div
        className="h-full bg-accent-solid"
        style={{ width: `${max === 0 ? 0 : (100 * value) / max}%` }}
      />
    </div>
  )
}
