import { FileChip } from '../blocks/file-block.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { useKit } from '../kit/kit-context.ts'
import { useChatState } from '../kit/use-chat-kit.ts'

/** The files that go with the next message. */
export function AttachmentList() {
  const { store, options } = useKit()
  const attachments = useChatState((state) => state.attachments)
  return (
    <ul className="ck-attachments">
      {attachments.map((file, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- the same file may be there twice
        <li key={i}>
          <FileChip file={{ name: file.name, size: file.size }} />
          <IconButton
            icon="close"
            label={`${options.texts.removeFile}: ${file.name}`}
            onClick={() => store.removeAttachment(i)}
          />
        </li>
      ))}
    </ul>
  )
}
