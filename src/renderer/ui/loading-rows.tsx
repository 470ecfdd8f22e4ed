/** Grey rows in the place of a list that is being read: columns and height of what will stand there, fading out, and nothing for the first 150 ms. */
export interface LoadingRowsProps {
  /** What is being read, for who cannot see the rows. */
  readonly label: string
  readonly count: number
  /** Width of each mark in a row, as a class. */
  readonly columns: readonly string[]
  /** How a row lays its marks out. */
  readonly row?: string
  readonly className?: string
}

export function LoadingRows({
  label,
  count,
  columns,
  row = 'h-9 items-center gap-8',
  className = 'px-4 pt-14',
}: LoadingRowsProps) {
  return (
    <div className={`late min-h-0 flex-1 overflow-hidden ${className}`} role="status" aria-label={label}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={`flex border-b border-line/50 ${row}`} style={{ opacity: 1 - index / count }}>
          {columns.map((width) => (
            <span key={width} className={`skeleton h-2.5 ${width}`} />
          ))}
        </div>
      ))}
    </div>
  )
}
