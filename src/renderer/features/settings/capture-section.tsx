/** What the receiver keeps of what it gets. */
import { useAppParts } from '../../state/use-app.ts'
import { Segments } from '../../ui/segments.tsx'

const MIB = 1_048_576
const OFFERED = [1, 10, 25, 50, 100].map((size) => size * MIB)

/** A size in the units that limits are set in. */
function binarySize(bytes: number): string {
  return bytes >= MIB ? `${Number((bytes / MIB).toFixed(1))} MiB` : `${Number((bytes / 1_024).toFixed(1))} KiB`
}

/** The limit of a body: a few sizes that make sense, and the one that is set where it is another. */
export function BodyLimit() {
  const { bodyLimit, changeSettings } = useAppParts((state) => ({
    bodyLimit: state.core.settings.bodyLimit,
    changeSettings: state.settings.change,
  }))
  const sizes = [...new Set([...OFFERED, bodyLimit])].toSorted((a, b) => a - b)
  return (
    <Segments
      label="Largest body kept"
      options={sizes.map((size) => ({ value: String(size), label: binarySize(size) }))}
      value={String(bodyLimit)}
      onChange={(value) => {
        void changeSettings({ bodyLimit: Number(value) })
      }}
    />
  )
}
