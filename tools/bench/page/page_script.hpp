// The page's own script: it hides a series where its name is clicked, brings one forward under the pointer,
// and shows what a point is at once. Without it, a browser shows the same texts after a while.
#pragma once

namespace clgemm::bench {

// Without a '<', so that the page stays well formed.
inline constexpr const char* page_script = R"((function () {
  var tip = document.createElement('div');
  tip.className = 'tip';
  document.body.appendChild(tip);
  document.querySelectorAll('svg title').forEach(function (title) {
    var mark = title.parentNode;
    mark.setAttribute('data-tip', title.textContent);
    mark.setAttribute('aria-label', title.textContent);
    mark.removeChild(title);
  });
  function of(event, selector) { return event.target.closest ? event.target.closest(selector) : null; }
  function same(part) {
    return part.ownerSVGElement.querySelectorAll('[data-series="' + part.getAttribute('data-series') + '"]');
  }
  function forward(part, on) {
    part.ownerSVGElement.classList.toggle('dimmed', on);
    same(part).forEach(function (one) { one.classList.toggle('forward', on); });
  }
  document.addEventListener('mouseover', function (event) {
    var mark = of(event, '[data-tip]');
    if (mark) tip.textContent = mark.getAttribute('data-tip');
    tip.style.display = mark ? 'block' : 'none';
    var part = of(event, '[data-series]');
    if (part) forward(part, true);
  });
  document.addEventListener('mouseout', function (event) {
    tip.style.display = 'none';
    var part = of(event, '[data-series]');
    if (part) forward(part, false);
  });
  document.addEventListener('mousemove', function (event) {
    var right = event.clientX + tip.offsetWidth + 24 > window.innerWidth;
    tip.style.left = (right ? event.clientX - tip.offsetWidth - 12 : event.clientX + 12) + 'px';
    tip.style.top = (event.clientY + 14) + 'px';
  });
  function toggle(key) { same(key).forEach(function (one) { one.classList.toggle('off'); }); }
  document.querySelectorAll('.key').forEach(function (key) {
    key.setAttribute('tabindex', '0');
    key.setAttribute('role', 'button');
    key.addEventListener('click', function () { toggle(key); });
    key.addEventListener('keydown', function (event) { if (event.key === 'Enter') toggle(key); });
  });
})();
)";

}  // namespace clgemm::bench
