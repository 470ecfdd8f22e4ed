/**
 * Kinds of files that the app opens: dialog texts, maximum size in bytes, and the message for
 * larger files.
 */
import type { FileKind } from '../shared/model/file-kind.ts'
import { FLOW_FILE_BYTES } from '../shared/model/flow.ts'
import { MOST_CA_CHARACTERS } from '../shared/model/send.ts'

const GIB = 1_073_741_824
const MIB = 1_048_576

export const fileKindRules: Readonly<
  Record<FileKind, { title: string; type: string; largest: number; reason: string }>
> = {
  capture: {
    title: 'Import deliveries',
    type: 'Exported deliveries',
    // The command line imports a larger one: nobody waits for a window there.
    largest: 8 * GIB,
    reason: 'It is larger than 8 GiB. Import it with "countersign import".',
  },
  flow: {
    title: 'Open a flow',
    type: 'Flows',
    largest: FLOW_FILE_BYTES,
    reason: 'It is larger than 1 MiB. Split the flow into smaller files.',
  },
  baseline: {
    title: 'Choose a baseline',
    type: 'Baselines',
    largest: 256 * MIB,
    reason: 'It is larger than 256 MiB. Compare with it on the command line.',
  },
  certificate: {
    title: 'Choose a CA certificate',
    type: 'Certificates',
    largest: MOST_CA_CHARACTERS,
    reason: 'It is larger than 256 KiB. A CA certificate file has a few thousand bytes.',
  },
}
