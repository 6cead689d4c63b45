/** The page shown if the dashboard has not been built. */
export function notBuiltPage(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bucketry: the dashboard is not built</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 36rem; margin: 12vh auto; padding: 0 1.25rem }
code { padding: .1em .35em; border-radius: .3em; background: light-dark(#e9edf0, #2a3036) }
</style>
<h1>The dashboard is not built</h1>
<p>Run <code>npm ci &amp;&amp; npm run build</code> in the Bucketry folder, then reload this page.
The gateway does not have to be restarted.</p>
<p>S3, the model list and the APIs work without it.</p>
</html>
`
}
