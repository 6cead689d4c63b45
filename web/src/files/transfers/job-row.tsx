import { Button, Group, Progress } from '@mantine/core'
import { formatCount } from '../../format/bytes.ts'
import { frameTexts } from '../../texts/frame.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import type { Job } from './job-list.ts'
import classes from './transfer-dock.module.css'
import { jobText, percent } from './transfer-text.ts'
import { jobs } from './transfers.ts'

const shownProblems = 5

export function JobRow({ job }: { readonly job: Job }) {
  const { id, title, state, done, total, problems, problemCount, undo } = job
  const isRunning = state === 'running'
  const isIncomplete = state === 'failed' || state === 'cancelled' || problemCount > 0
  return (
    <section className={classes.job} aria-label={title}>
      <Group gap={6} wrap="nowrap">
        <span className={classes.jobTitle} data-tip={title} data-tip-cut>
          {title}
        </span>
        {isRunning && (
          <Button size="compact-xs" variant="default" onClick={() => jobs.cancel(id)}>
            {transfersTexts.stop}
          </Button>
        )}
        {undo !== undefined && (
          <Button
            size="compact-xs"
            variant="default"
            data-tip={transfersTexts.undoKeys}
            aria-description={transfersTexts.undoKeys}
            onClick={() => jobs.undo(id)}
          >
            {transfersTexts.undo}
          </Button>
        )}
        {!isRunning && isIncomplete && (
          <Button size="compact-xs" variant="default" onClick={() => jobs.repeat(id)}>
            {frameTexts.tryAgain}
          </Button>
        )}
        {!isRunning && (
          <Button size="compact-xs" variant="default" onClick={() => jobs.dismiss(id)}>
            {transfersTexts.dismiss}
          </Button>
        )}
      </Group>
      {isRunning && (
        <Progress
          size={4}
          value={total === undefined ? 100 : percent(done, total)}
          animated={total === undefined}
          striped={total === undefined}
          color="var(--bucketry-accent)"
          aria-label={title}
        />
      )}
      <div className={classes.rowText} data-failed={state === 'failed' || undefined}>
        {jobText(job)}
      </div>
      {problemCount > 0 && (
        <ul className={classes.problems}>
          {problems.slice(0, shownProblems).map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
          {problemCount > shownProblems && (
            <li>{transfersTexts.andMore(formatCount(problemCount - shownProblems))}</li>
          )}
        </ul>
      )}
    </section>
  )
}
