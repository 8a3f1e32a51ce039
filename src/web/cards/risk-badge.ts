/** Shows the risk of a request, on its card and in lists. The risk of an opaque request is `unknown`. */
import type { ShownRisk } from '../../core/effects/shown-risk.ts';
import { type Html, html } from '../html.ts';

const RISK: Readonly<Record<ShownRisk, string>> = {
  low: 'Low risk',
  medium: 'Medium risk',
  high: 'High risk',
  critical: 'Critical',
  unknown: 'Unknown: treat as critical',
};

export const riskBadge = (risk: ShownRisk): Html => html`<span class="risk ${risk}">${RISK[risk]}</span>`;
