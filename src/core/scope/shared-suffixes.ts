/**
 * Lists shared suffixes, such as `co.uk` and `github.io`: the names below a shared suffix belong to different parties. So a glob such as
 * `*.github.io` names the hosts of many parties. Some of the suffixes are from https://publicsuffix.org/list/. The other suffixes, such as
 * `slack.com`, are not in that list.
 */

/** The names directly below one of these suffixes belong to different parties. */
const SHARED: ReadonlySet<string> = new Set(
  [
    'github.io gitlab.io bitbucket.io codeberg.page githubusercontent.com github.dev githubpreview.dev app.github.dev',
    'vercel.app vercel.dev now.sh netlify.app pages.dev workers.dev r2.dev trycloudflare.com cloudfront.net edgekey.net',
    'herokuapp.com herokussl.com onrender.com fly.dev railway.app up.railway.app render.com deno.dev deno.net glitch.me surge.sh',
    'web.app firebaseapp.com firebaseio.com appspot.com run.app a.run.app cloudfunctions.net withgoogle.com blogspot.com',
    'storage.googleapis.com translate.goog usercontent.goog googleusercontent.com cloud.goog',
    'azurewebsites.net azurestaticapps.net azureedge.net azurefd.net azure-api.net cloudapp.net trafficmanager.net',
    'ngrok.io ngrok.app ngrok.dev ngrok-free.app ngrok-free.dev loca.lt localhost.run serveo.net ts.net tunnelmole.net pinggy.link',
    'replit.app replit.dev repl.co repl.run stackblitz.io webcontainer.io codesandbox.io csb.app gitpod.io val.run bolt.host lovable.app',
    'hf.space gradio.live streamlit.app streamlitapp.com modal.run readthedocs.io readthedocs-hosted.com gitbook.io',
    'supabase.co supabase.in supabase.net backblazeb2.com ondigitalocean.app digitaloceanspaces.com linodeobjects.com vultrobjects.com',
    'wasabisys.com scw.cloud wordpress.com wpengine.com wixsite.com wixstudio.com weebly.com squarespace.com webflow.io framer.app',
    'myshopify.com tumblr.com substack.com medium.com atlassian.net zendesk.com slack.com notion.site sharepoint.com my.salesforce.com',
    'force.com okta.com auth0.com onmicrosoft.com pythonanywhere.com koyeb.app zeabur.app northflank.app beam.cloud',
    'duckdns.org dyndns.org ddns.net no-ip.org no-ip.com hopto.org zapto.org sytes.net dynu.net nip.io sslip.io xip.io',
    'oastify.com burpcollaborator.net interact.sh oast.fun oast.me oast.live oast.pro oast.site oast.online requestcatcher.com',
    'pipedream.net webhook.site beeceptor.com hookdeck.com run.place is-a.dev js.org eu.org us.com uk.com de.com cn.com za.com',
  ].flatMap((line) => line.split(' ')),
);

/** Below these, names with any number of labels belong to many parties, as in `BUCKET.s3.REGION.amazonaws.com`. */
const CLOUDS: readonly string[] = [
  ...[
    'amazonaws.com',
    'amazonaws.com.cn',
    'on.aws',
    'awsapprunner.com',
    'elasticbeanstalk.com',
    'windows.net',
    'azure.com',
  ],
  ...[
    'azurecontainerapps.io',
    'azmk8s.io',
    'azurecr.io',
    'oraclecloud.com',
    'appdomain.cloud',
    'aliyuncs.com',
    'myqcloud.com',
  ],
  ...[
    'digitaloceanspaces.com',
    'linodeobjects.com',
    'wasabisys.com',
    'scw.cloud',
    'cloudapp.net',
    'in-addr.arpa',
    'ip6.arpa',
  ],
];

/**
 * Whether many parties may own the names directly below this suffix.
 * @param suffix at least two labels in lower case, without a port
 */
export const isSharedSuffix = (suffix: string): boolean =>
  SHARED.has(suffix) ||
  isOfRegistry(suffix) ||
  CLOUDS.some((cloud) => suffix === cloud || suffix.endsWith(`.${cloud}`));

/** Whether the suffix has the form of `co.uk`, `com.au` or `gouv.fr`: a short name below the name of a country. */
const isOfRegistry = (suffix: string): boolean =>
  /^(?:[a-z0-9]{1,3}|asso|conf|coop|gouv|govt|info|inet|kommune|name|firm|school|police|parliament|geek|maori|kiwi|health|store|tech)\.[a-z]{2}$/.test(
    suffix,
  );
