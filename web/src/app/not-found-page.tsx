import { Button, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'

export function NotFoundPage() {
  return (
    <Stack align="flex-start" gap="sm" p="lg">
      <Title order={1} size="h2">
        Page not found
      </Title>
      <Text>The address may be mistyped or from an older version.</Text>
      <Button component={Link} href="/files">
        Go to Files
      </Button>
    </Stack>
  )
}
