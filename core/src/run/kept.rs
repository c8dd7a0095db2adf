//! An offer as it is kept, for who asks later why these tools were offered.

use toolgate_protocol::chat::ShownOffer;
use toolgate_protocol::limits::OFFER_KEPT_BYTES_MAX;

/// The offer within its limit: the last of what was left out is only counted. `None` where its tools alone are too many.
pub fn kept(mut offer: ShownOffer) -> Option<ShownOffer> {
    let size = |offer: &ShownOffer| serde_json::to_string(offer).map_or(usize::MAX, |text| text.len());
    let all = offer.left_out.len();
    while size(&offer) > OFFER_KEPT_BYTES_MAX {
        if offer.left_out.is_empty() {
            return None;
        }
        let half = offer.left_out.len().checked_div(2).unwrap_or_default();
        offer.left_out.truncate(half);
        offer.left_out_more = u64::try_from(all.saturating_sub(half)).ok();
    }
    Some(offer)
}
