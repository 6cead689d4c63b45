import { Alert, Box, Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { IconPlayerStop, IconSend } from '@tabler/icons-react'
import {
  type FormEvent,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Link } from 'wouter'
import { ApiError } from '../../api/api-error.ts'
import { serviceAddress } from '../../api/service-address.ts'
import { useStatus } from '../../api/service-queries.ts'
import { formatCount } from '../../format/bytes.ts'
import { formatMilliseconds } from '../../format/time.ts'
import { modelsTexts } from '../../texts/models.ts'
import { Rich } from '../../texts/rich.tsx'
import { ClientTabs } from '../../ui/copy/client-tabs.tsx'
import { Section } from '../../ui/section.tsx'
import { NoConnection } from '../no-connection.tsx'
import { useListedModels } from '../routing-queries.ts'
import { useAddressParams } from '../use-address-params.ts'
import { modelClients, modelKeyPlaceholder } from './model-clients.ts'
import { type Answer, streamAnswer } from './stream-answer.ts'
import classes from './try.module.css'

const MarkdownDocument = lazy(async () => {
  try {
    const { MarkdownDocument } = await import('../../files/preview/text/markdown-document.tsx')
    return { default: MarkdownDocument }
  } catch {
    // The server may have been upgraded since the page was loaded.
    return { default: PlainAnswer }
  }
})

function PlainAnswer({ pending }: { readonly pending?: ReactNode }) {
  return <>{pending}</>
}

/** Maximum models suggested from a list that may have thousands. */
const maxShown = 50

/** A question to a model, and settings for apps that use it. The model is part of the page's address. */
export function TryPanel() {
  const [params, set] = useAddressParams()
  const models = [...new Set((useListedModels('chat').data ?? []).map(({ id }) => id))]
  const model = params.get('model') ?? models[0] ?? ''
  const data = model === '' || models.includes(model) ? models : [model, ...models]
  return (
    <>
      <Section title={modelsTexts.tab.try}>
        <NoConnection text={modelsTexts.try.noConnection} />
        <Select
          label={modelsTexts.try.model}
          data={data}
          value={model === '' ? null : model}
          limit={maxShown}
          searchable
          allowDeselect={false}
          nothingFoundMessage={modelsTexts.listed.noMatch}
          mb="sm"
          onChange={(chosen) => set('model', chosen ?? '')}
        />
        <Question model={model} />
      </Section>
      <ConnectApp model={model} />
    </>
  )
}

function Question({ model }: { readonly model: string }) {
  const { state, ask, stop } = useAnswer()
  const [prompt, setPrompt] = useState('')
  const { phase, answer, error } = state
  const isBusy = phase === 'waiting' || phase === 'arriving'
  const submit = (event: FormEvent | KeyboardEvent) => {
    event.preventDefault()
    if (!isBusy && model !== '' && prompt.trim() !== '') void ask(model, prompt)
  }
  return (
    <form onSubmit={submit}>
      <Textarea
        label={modelsTexts.try.question}
        description={modelsTexts.try.questionHint}
        autosize
        minRows={2}
        maxRows={10}
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
        }}
      />
      <Group mt="sm" gap="sm">
        {isBusy ? (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} />}
            onClick={stop}
            key="stop"
          >
            {modelsTexts.try.stop}
          </Button>
        ) : (
          <Button
            type="submit"
            leftSection={<IconSend size={16} />}
            disabled={model === ''}
            key="ask"
          >
            {modelsTexts.try.ask}
          </Button>
        )}
        <Text size="sm" c="dimmed" role="status">
          {statusText(phase, answer)}
        </Text>
      </Group>
      {phase !== 'none' && answer !== undefined && answer.text !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard
        <section className={classes.answer} aria-label={modelsTexts.try.answer} tabIndex={0}>
          <AnswerText text={answer.text} isArriving={isBusy} />
        </section>
      )}
      {error !== undefined && <Failed error={error} hasText={(answer?.text ?? '') !== ''} />}
    </form>
  )
}

interface AnswerTextProps {
  readonly text: string
  readonly isArriving: boolean
}

/** Plain text while the answer arrives, then its Markdown as a document. */
function AnswerText({ text, isArriving }: AnswerTextProps) {
  const plain = <div className={classes.plain}>{text}</div>
  if (isArriving) return plain
  return (
    <Suspense fallback={plain}>
      <MarkdownDocument text={text} pending={plain} />
    </Suspense>
  )
}

function statusText(phase: string, answer: Answer | undefined): string {
  if (phase === 'waiting' || answer === undefined) return phase === 'waiting' ? waitingText : ''
  const isArriving = phase === 'arriving'
  if (isArriving && answer.text === '') {
    return answer.isThinking ? modelsTexts.try.thinking : waitingText
  }
  const { firstTokenMs, totalMs, attempts } = answer
  return [
    phase === 'stopped' && modelsTexts.try.stopped,
    firstTokenMs !== undefined && modelsTexts.try.firstToken(formatMilliseconds(firstTokenMs)),
    !isArriving && modelsTexts.try.total(formatMilliseconds(totalMs)),
    !isArriving && tokensText(answer),
    attempts > 1 && modelsTexts.try.attempts(attempts),
  ]
    .filter((part) => part !== false)
    .join(' · ')
}

const waitingText = modelsTexts.try.waiting

/** False if the upstream has not reported them. */
function tokensText({ inputTokens, outputTokens = 0 }: Answer): string | false {
  if (inputTokens === undefined) return false
  return modelsTexts.try.tokens(
    formatCount(inputTokens),
    modelsTexts.try.outputTokens(outputTokens),
  )
}

function Failed({ error, hasText }: { readonly error: Error; readonly hasText: boolean }) {
  const status = error instanceof ApiError ? error.status : 0
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined
  return (
    <Alert
      color="red"
      role="alert"
      mt="sm"
      title={hasText ? modelsTexts.try.incomplete : modelsTexts.try.noAnswer}
    >
      <Stack gap={4}>
        <Text size="sm">{error.message}</Text>
        {seconds !== undefined && (
          <Text size="sm">{modelsTexts.try.againIn(modelsTexts.try.seconds(seconds))}</Text>
        )}
        {status !== 401 && (
          <Text size="sm">
            <Rich
              text={modelsTexts.try.seeConnections}
              marks={{ link: (words) => <Link href="/models/connections">{words}</Link> }}
            />
          </Text>
        )}
      </Stack>
    </Alert>
  )
}

type Phase = 'none' | 'waiting' | 'arriving' | 'done' | 'stopped' | 'failed'

interface AnswerState {
  readonly phase: Phase
  readonly answer?: Answer
  readonly error?: Error
}

/** One answer at a time. It is cancelled when the page is left, or the session ends. */
function useAnswer() {
  const [state, setState] = useState<AnswerState>({ phase: 'none' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const ask = async (model: string, prompt: string) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    setState({ phase: 'waiting' })
    let latest: AnswerState = { phase: 'waiting' }
    let frame = 0
    const show = (next: AnswerState) => {
      latest = next
      // Events can come faster than the screen shows them.
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => running.current === controller && setState(latest))
    }
    try {
      const onChange = (answer: Answer) => show({ phase: 'arriving', answer })
      await streamAnswer({ model, prompt, signal: controller.signal, onChange })
      show({ ...latest, phase: 'done' })
    } catch (error) {
      if (controller.signal.aborted) show({ ...latest, phase: 'stopped' })
      else show({ ...latest, phase: 'failed', error: messageOf(error) })
    }
  }
  return { state, ask, stop: () => running.current?.abort() }
}

function messageOf(error: unknown): Error {
  // The message of fetch for a broken connection differs by browser.
  if (error instanceof TypeError) return new Error(modelsTexts.try.lost)
  return error instanceof Error ? error : new Error(String(error))
}

/** Settings of apps for a model, to paste. */
function ConnectApp({ model }: { readonly model: string }) {
  const { data: status } = useStatus()
  if (status === undefined) return null
  const address = serviceAddress(status.endpoint, location.origin)
  return (
    <Box mt="md">
      <Section title={modelsTexts.try.connectApp}>
        <Text size="sm" c="dimmed" mb="md" maw={720}>
          <Rich
            text={modelsTexts.try.replaceKey(modelKeyPlaceholder)}
            marks={{ link: (words) => <Link href="/models/keys">{words}</Link> }}
          />
        </Text>
        <ClientTabs
          clients={modelClients(address, model === '' ? 'MODEL' : model)}
          placeholder={modelKeyPlaceholder}
        />
      </Section>
    </Box>
  )
}
