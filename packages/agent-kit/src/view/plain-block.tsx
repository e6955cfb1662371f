import { Block, StoreProvider, type BlockProps } from '@parley/chatkit'
import { useView } from './view-context.ts'

const NO_BLOCKS = {}

/** A block as ChatKit draws it, whatever the view has in its place. */
export function PlainBlock(props: BlockProps) {
  const { store, locale } = useView()
  return (
    <StoreProvider store={store} locale={locale} blocks={NO_BLOCKS}>
      <Block {...props} />
    </StoreProvider>
  )
}

/** A value for people: text as it is, everything else as JSON. */
export function ValueBlock({ title, value, message }: { title: string; value: unknown } & Pick<BlockProps, 'message'>) {
  const isText = typeof value === 'string'
  const content = { code: isText ? value : JSON.stringify(value, null, 2), language: isText ? '' : 'json', title }
  return <PlainBlock block={{ type: 'Code', key: title, content }} message={message} isStreaming={false} />
}
