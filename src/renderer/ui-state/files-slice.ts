import type { FileKind } from '../../shared/model/file-kind.ts'
import type { FeatureTools } from './feature-tools.ts'
import { desktopFile, fileSentenceOf } from './user-file.ts'

export type FilesSlice = ReturnType<typeof createFilesSlice>

export function createFilesSlice({ client, capabilities, notify }: FeatureTools<object>) {
  return {
    /**
     * Function that asks with the system's dialog and resolves with null on cancel; null in a
     * browser.
     */
    choose: capabilities.desktop
      ? async (kind: FileKind) => {
          const { file } = await client.callNative('native.chooseFile', { kind })
          return file === null ? null : desktopFile(client, file)
        }
      : null,
    notOpened(error: unknown) {
      notify({ tone: 'bad', title: "Couldn't open the file", message: fileSentenceOf(error) })
    },
  }
}
