import { createElement, type ComponentType, type ReactNode } from 'react'
import type { MarkdownOptions } from '../../markdown/markdown-options.ts'
import type { ChatKitError } from '../../model/chat-kit-error.ts'
import type { ChatMessage } from '../../model/chat-message.ts'
import { MAX_LENGTH } from '../../model/max-length.ts'
import { LazyDiagram } from '../blocks/lazy-diagram.tsx'
import type { BlockProps, ChartRequest, KitClassNames, KitComponents, KitOptions, Security } from './kit-context.ts'
import { languageTag, pageLanguage } from '../../model/page-language.ts'
import { type OwnTexts, resolveTexts } from '../texts/texts.ts'

/** How a chat looks and speaks. Everything is optional. */
export type SkinProps = {
  /** Default: the `lang` of the page. */
  locale?: string | undefined
  /** Words of the host's own, in place of the kit's. */
  texts?: OwnTexts | undefined
  security?: Security | undefined
  components?: KitComponents | undefined
  classNames?: KitClassNames | undefined
  /** Where details open. Default: inside the kit. */
  drawerContainer?: HTMLElement | null | undefined
  /** Block types drawn by the host, by type. */
  blocks?: Readonly<Record<string, ComponentType<BlockProps>>> | undefined
  /** Loaders of highlighting and formulas, and what draws diagrams, in place of the kit's own. */
  markdown?: Pick<MarkdownOptions, 'loadHighlighter' | 'loadMath' | 'renderDiagram'> | undefined
  /** Draws charts in place of the kit; nothing for those it leaves to the table. */
  renderChart?: ((chart: ChartRequest) => ReactNode) | undefined
  /** What a click on a preset question does. Default `send`. */
  presetQuestions?: 'send' | 'fill' | undefined
  /** What is read out of an answer. Default `end`. */
  announce?: 'stream' | 'end' | 'status' | undefined
  /** Default `enter`. */
  sendWith?: 'enter' | 'ctrl+enter' | undefined
  /** In UTF-16 units. Default 32 768. */
  maxLength?: number | undefined
  /** User messages can be edited. Default true. */
  editable?: boolean | undefined
  /** The picture and the name of whoever wrote a message stand beside it. Default true. */
  showAuthors?: boolean | undefined
  /** Where the reader's own messages stand: `start`, as all do, or `end`, on grey. Default `start`. */
  ownMessages?: 'start' | 'end' | undefined
  /** What stands below a message, of the host's own; asked again whenever it is another function. */
  renderAfterMessage?: ((message: ChatMessage) => ReactNode) | undefined
  /** How long an answer took and how many tokens it cost, below it. Default false: it is nothing to most readers. */
  showStatistics?: boolean | undefined
  /** Below the text box; `null` for none. */
  disclaimer?: string | null | undefined
  onError?: ((error: ChatKitError) => void) | undefined
  onBridge?: ((action: string, payload: unknown, info: { toolCallID: string }) => void) | undefined
}

/** Defaults, once; inside, nothing is optional but what may really be missing. */
export function resolveKitOptions(props: SkinProps): KitOptions {
  const locale = resolveLocale(props.locale)
  const texts = resolveTexts(locale, props.texts)
  return {
    locale,
    texts,
    security: props.security ?? {},
    components: props.components ?? {},
    classNames: props.classNames ?? {},
    drawerContainer: props.drawerContainer ?? null,
    blocks: props.blocks ?? {},
    markdown: { renderDiagram, ...props.markdown },
    renderChart: props.renderChart,
    presetQuestions: props.presetQuestions ?? 'send',
    announce: props.announce ?? 'end',
    sendWith: props.sendWith ?? 'enter',
    maxLength: props.maxLength ?? MAX_LENGTH,
    editable: props.editable ?? true,
    showAuthors: props.showAuthors ?? true,
    ownMessages: props.ownMessages ?? 'start',
    showStatistics: props.showStatistics ?? false,
    disclaimer: props.disclaimer === undefined ? texts.disclaimer : props.disclaimer,
    onError: props.onError ?? (() => {}),
    onBridge: props.onBridge ?? (() => {}),
  }
}

/** The language given, else the page's, as `Intl` takes it. */
export function resolveLocale(given?: string): string {
  return given ? languageTag(given) : pageLanguage()
}

const renderDiagram = (source: string): ReactNode => createElement(LazyDiagram, { source })
